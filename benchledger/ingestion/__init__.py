"""Files to ledger: discover, read, load, and derive runs, facts and cases from what was read.

- `ingest` is the whole of it; `discover` walks folders, `plan` tells what has changed, `roots` which root a file is of.
- Reading, without a database: `reading` in order, `pool` in other processes, `members` what archives hold, `read` one
  unit of files to base tables (`log_rows` all but their records). `shared_memory` takes tables from process to process,
  `spill` keeps the records of long logs on the disk.
- `accounts` gives each file its outcome (`outcome`) and collects what waits; `batches` says when it is written.
- Writing, one transaction a batch: `write`, with `load` (base tables), `inserting` (records),
  `record_keys` (what a key would refuse), `segments`, `sightings` and `write_sightings` (places), `derive` (runs).
- `facts_file` reads facts.toml, `late_facts` finds the logs that a new one speaks of; `forget` removes logs.
- The same steps as pure functions, for any process on any machine: `seams` (`read_unit`, `closure`, `derive`, `load`),
  with `base_tables`, the Arrow tables that go between them.
"""
