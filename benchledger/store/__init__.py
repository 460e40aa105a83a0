"""Opens and migrates the ledger's file, and keeps the private files beside it.

`database.py` opens a ledger for reading or writing, and `writing.py` writes into it, all or nothing; `memory.py` limits
its memory and threads; `confined.py` refuses SQL of users that does more than read; `lock_wait.py` reports the wait for
a locked ledger; `migrations.py` applies the schema; `tables.py` lists its tables; `changed_views.py` finds changed
views; `time_limit.py` ends questions that take too long; `frames.py` gives rows as polars frames; `facade.py` finds the
tables of a lake; `default_db.py` names the default ledger; `copies.py` copies a ledger; `scratch.py` names temporary
files beside their target.
`private_file.py` is the list of files read, `key_file.py` the key of the pseudonyms, `log_contents.py` the kept
contents of logs, and `real_names.py` reads the names behind pseudonyms. `sync.py` copies rules and published numbers
into tables; `run_keys.py` finds a run by its key; `published_logs.py` tells whether published numbers have logs here.
"""
