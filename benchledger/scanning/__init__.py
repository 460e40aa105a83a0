"""Turns the bytes of a log into records, without a database.

`log_reader.py` is the entry: it reads one log. `recognition.py` finds its format by literals (`detection.py`,
`literal_search.py`), or else by nine of ten of its lines. `content.py` hashes a log and reads a long one in parts.

Lines: `scanner.py` finds the lines of a format and reads them by the reference reader: `lines.py`, with `patterns.py`
(templates as regexes), `leads.py` (line prefixes), `record_reader.py`, `pairs_reader.py` and `values.py`.
`native_scanner.py` does the same with the extension in C; the other `native_*.py` encode formats for it and decode its
rows.

Files: `readers.py` selects the `FileReader` of CSV (`csv_rows.py`, `mixed_csv.py`), columns, tables, JSON documents
(`json_documents.py`, `json_walk.py`, `json_values.py`), SQLite files and trackers (`trackers/`). `self_describing.py`
reads JSON lines and dicts of Python (`object_lines.py`) and CSV that no other format claims; `line_labels.py` finds
what tells their lines apart. It has no native twin, since the readers of files are Python.

`unread.py` finds lines with a measurement that no template matches.
`document_content.py` tells pages, scripts and answers of bench, which quote log lines, by their content.

Results: `rows.py` has rows and rejects, `layout.py` the meaning of their values, also by the words of a name,
`columns.py` the Arrow table. `statements.py` collects runs and their facts, with `launchers.py`; `segment.py` tells
which runs go on in settings that another process prints late. `samples.py` proves formats by their samples.
"""
