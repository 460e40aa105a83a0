"""Makes a ledger of many runs with many step records each, by SQL: what an ingest of their logs would leave."""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path

import duckdb

from benchledger.kept import keep
from benchledger.store.database import open_for_writing
from benchledger.store.sync import sync_definitions

RECORDS_AT_A_TIME = 1_000_000
DEFINED = """
insert into kept.format by name
select 'megatron' as format, 1 as version, 'steps.mean_skip1' as default_rule, 'train' as role;

insert into kept.shape by name
select 1 as shape_id, 'megatron' as format, 'step' as record, 'step' as kind, 'train' as phase, value.*
from (
    values (1, 'lm loss', 'loss', null, null), (2, 'learning rate', 'learning_rate', null, null),
        (3, 'samples per second', 'throughput', 'samples/s', 'global'), (4, 'mem', 'memory_allocated', 'MiB', null)
) as value(ordinal, name, quantity, unit, scope);

insert into bench_case by name
select
    1 + i as case_id, 'case' || i as name, 'pytorch' as framework, 'megatron' as implementation,
    'gpt2_345m' as model, 'pretraining' as task, 'fp16' as precision, 1 << (i % 4) as gpus, 1 as nodes,
    8 * (1 + i // 4) as batch_size_per_gpu, 8 * (1 + i // 4) * (1 << (i % 4)) as global_batch_size, 1024 as seq_len
from range(20) as made(i);

insert into environment by name
select 1 + i as environment_id, 'H200' as gpu_model, 143771 as gpu_memory_mib, i as driver_version
from range(3) as made(i);
"""
RUNS = """
create or replace temp table n as
select (hash(i) // 2)::bigint as id, i from range($first, $last) as made(i);

insert into log
select
    id, 'hash' || id, $records * 100, $records, 'megatron', 1, 'made', $records, $records, 0, 0, 0, 0, null, $number
from n;

insert into sighting by name
select
    id as sighting_id, id as log_id, 'c' || i // 100 || '/' || i || '.log' as path, 'c' || i // 100 as campaign,
    'f' || i // 100 as folder, i as stem, timestamp '2026-01-01' as ingested_at, 'made' as definitions_hash,
    'loaded' as status
from n;

insert into run by name
select
    id as run_id, left(md5(id::varchar), 12) || '-1' as run_key, 1 + i % 20 as case_id, 1 + i % 3 as environment_id,
    if(i % 97 = 0, 'oom', 'ok') as status
from n;

insert into run_log by name
select
    id as run_id, id as log_id, 'train' as role, 1 as segment, 1 as first_line, $records as last_line,
    'made' as paired_by
from n;

insert into fact by name
select id as run_id, name, value, 'log' as source, true as used
from n, (values ('gpus', '8'), ('model', 'gpt2_345m'), ('precision', 'fp16')) as told(name, value);
"""
STEPS = """
insert into kept.record by name
select
    id as log_id, line, line * 100 as byte_offset, line as step, 1 as shape_id,
    timestamp '2026-01-01' + to_milliseconds(line * 300 + hash(i, line) % 50) as logged_at,
    [
        10 / ln(line + 2) + hash(i, line) % 1000 / 1000, 0.0001 * line, 100 + hash(line, i) % 1000 / 100, 30000 + i % 7
    ]::double[] as "values",
    $number as load_number
from n, range(1, $records + 1) as made(line)
order by i, line
"""


def make_runs(database: Path, runs: int, records: int) -> tuple[float, float]:
    """The ledger, and the processor's seconds that its records took, and what is kept of them.

    As ingests make it: some millions of records at a time, and what is kept of them in the same transaction.
    """
    inserted = kept = 0.0
    with closing(open_for_writing(database)) as con:
        sync_definitions(con)
        con.execute(DEFINED)
        step = max(1, RECORDS_AT_A_TIME // records)
        for number, first in enumerate(range(0, runs, step), start=1):
            given = {"number": number, "first": first, "last": min(runs, first + step), "records": records}
            began = time.process_time()
            con.execute("begin")
            for statement in con.extract_statements(RUNS + STEPS):
                con.execute(statement, {name: given[name] for name in statement.named_parameters})
            made = time.process_time()
            keep(con, "select id as run_id from n")
            con.execute("commit")
            inserted, kept = inserted + made - began, kept + time.process_time() - made
    return inserted, kept


def a_cell(database: Path) -> str:
    """The name of a number of the speed table."""
    with closing(duckdb.connect(str(database), read_only=True)) as con:
        found = con.execute("select min(cell) from speed_table where is_default and value is not null").fetchone()
        return str(found[0]) if found else ""
