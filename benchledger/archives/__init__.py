"""Reads compressed files and archives as streams of members; it knows bytes and names, but no logs and no database.

`walk.py` is the entry: it walks an archive, and archives within it, member by member. `tar.py` and `zip.py` list
entries, `streams.py` decompresses, `read_ahead.py` decompresses on a thread. `member.py` is one member, `problem.py`
the reason why one cannot be read, `limits.py` the protection against bombs. `magic_bytes.py` tells formats by their
first bytes, `entry_names.py` cleans entry names, `opening.py` opens a single log, `disk_file.py` any file on this disk.
"""
