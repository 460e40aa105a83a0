"""Replaces private text by keyed pseudonyms: text in, text out, without a database or files.

`redactor.py` is the entry. `names.py` finds hosts, users, groups and jobs, `addresses.py` finds machine addresses,
`pseudonyms.py` makes the replacements. `line_filter.py` selects the lines of a long text that need a closer look.
`line_redactor.py` does so for the bytes of a log, part by part. `real_names.py` undoes a replacement for the owner.
`samples.py` loads the rules and proves them by their samples.
"""
