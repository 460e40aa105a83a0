"""Writes a ledger as a site: static files that open from a folder or any web server, and ask for nothing else.

`export.py` is `bench export site`: it asks the ledger and writes the files. `numbers.py` selects the tables of numbers
and runs, `start.py` the first page, the rankings and the rules, `cases.py` a file per case with the explanations of its
numbers and the facts of its runs. `files.py` packs rows by columns and writes data files, and `serve.py` serves a
folder on this machine alone. `static/` holds the pages: HTML, CSS and plain JavaScript without a library.
"""
