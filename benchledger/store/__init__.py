"""Opens and migrates the ledger's file, and keeps the private file beside it.

`database.py` opens a ledger for reading or writing and limits its memory and threads; `lock_wait.py` reports the wait
for a locked ledger; `migrations.py` applies the schema; `default_db.py` names the default ledger; `copies.py` copies a
ledger. `private_file.py` is the private file, `key_file.py` reads a shared key. `sync.py` copies rules and published
numbers into tables; `run_keys.py` finds a run by its key; `published_logs.py` tells whether published numbers have logs
here.
"""
