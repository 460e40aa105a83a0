"""Replaces private text by keyed pseudonyms: text in, text out, without a database or files.

`redactor.py` is the entry. `names.py` finds hosts, users, groups and jobs, `addresses.py` finds machine addresses,
`world_info.py` hosts in base64. `private.py` tells names from words, `domains.py` machines from sites, `pseudonyms.py`
makes the replacements. Regexes are in `patterns.py`, `printed.py` (sentences and tables), `people.py`, `places.py`
(folders, buckets, clouds) and `forms.py`. `line_filter.py` selects the lines of a long text that need a closer look.
`line_redactor.py` does so for the bytes of a log, part by part, with `tables.py` and `open_fields.py`, which follow a
table and a value below its name, also in lines that a log wraps (`wrapping.py`), and `known_names.py` replaces the
hosts and users that it found wherever they stand. `real_names.py` undoes a replacement for the owner. `samples.py`
loads the rules and proves them by their samples.
"""
