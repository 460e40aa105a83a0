"""Files to ledger: discover, read, load, and derive runs, facts and cases from what was read.

- `ingest` is `bench ingest`; `discover` walks folders, `plan` finds what has changed (of a few files by
  `few_files`, without reading all that the ledger knows), `roots` the root of a file.
- Reading, without a database: `reading` in order, `pool` in `worker_processes`, so that a killed one costs one file;
  `members` and `archive_worker` the members of archives, `read` the files of one of the `units`, guarded by
  `read_guard`. `transfer` moves tables between processes, and spills the records of long logs to the disk.
- `accounts` gives each file its outcome (`outcomes`), with its `sightings`; `batches` decides when batches are written,
  and `same_ledger` that all go into one file.
- Writing, one transaction per batch: `write`, with `load` (base tables and records), `record_frames` (checks what a key
  would refuse), `segments` with `layout_frames` and `restarts` (steps that begin again, maybe as epochs:
  `sql/derive_epochs.sql`) and `rivals` (two jobs in one log), and `derive` (runs).
- `keep_logs` keeps contents while they are read, and reads them again when the folder is gone.
- `facts_file` reads facts.toml; `forget` removes logs; `watch` ingests again and again what is complete.
- `seams` has the same steps as pure functions, for any process on any machine: `read_unit`, `closure`, `derive` and
  `load`; `base_tables` are the Arrow tables between them.
"""
