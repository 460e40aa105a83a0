"""Drafts a format definition from logs that no format reads; each guess is a question in the draft.

`draft` is the command: it takes an excerpt of each log (`sampling`) and gives it to its `Drafter`. `masks` groups lines
that differ only in values; `template_drafts` makes a template of each group, with `values` for its fields and `lists`
for `key: value` lists. `classification` decides which templates are steps, summaries and settings, and `meaning`
guesses quantities and facts, by name_guesses.toml. `records` collects the records, `detection` finds literals that
identify the program, `sampling` makes sample lines, `writing` writes the TOML, and `repair` reads the draft with the
real reader and repairs it until its samples prove it.
"""
