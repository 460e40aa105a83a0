"""What is kept of every run, so that no answer reads its records again: filled in the transaction that changes it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import TYPE_CHECKING

from benchledger.store.rollups.frames import Arrived, ChunkRecords, sql_of

if TYPE_CHECKING:
    import duckdb
    import polars as pl

    Look = Callable[[pl.DataFrame], None]

# So many records at a time are asked for what they say: of small logs those of one batch. Runs of LONG_RUN are read in
# parts, a few of them together.
CHUNK_RECORDS = 750_000
LONG_RUN = 600_000
LONG_CHUNK = 4_000_000
# Of a longer stream of readings only the ends are kept one by one.
LONGEST_LIST = 1_000
_CHUNKS = "select distinct chunk from due_chunk order by chunk"
# So few records are copied, so that they are looked for once.
FEW_RECORDS = 500_000
_COPIED = """
create or replace temp table chunk_row as
select record.*
from record
semi join chunk_claim using (log_id, load_number)
"""
# Joins of records as they are written: what a transaction has added counts as nothing, so that records would be what is
# kept of a join.
_AS_WRITTEN = "set disabled_optimizers = 'join_order,build_side_probe_side'"
# Where only a few runs are due, those are what the others are joined with.
_MOST_IS_OLD = "select 1 where (select count(*) from due_run) * 2 < (select count(*) from run)"
# A series that is alone in its campaign is compared with itself only, of which nothing is kept.
_HAS_RELATIVES = (
    "select 1 from series semi join due_campaign on due_campaign.campaign is not distinct from series.campaign"
    " group by series.campaign having count(*) > 1 limit 1"
)
_COUNT = "select coalesce(sum(records), 0) from log semi join chunk_claim using (log_id)"


def keep_rollups(
    con: duckdb.DuckDBPyConnection, runs: str = "select run_id from run", arrived: Arrived | None = None
) -> None:
    """Fills the kept tables again for the runs of a query, gone ones too. Opens no transaction of its own.

    A run whose logs and case are what they were is not read again. Records that have just `arrived` are not read back;
    some of them may not be in their table yet.
    """
    _follow(con, arrived)
    _fill(con, runs, arrived)
    con.execute(sql_of("done"))


def follow_definitions(con: duckdb.DuckDBPyConnection) -> None:
    """Fills the kept tables again for all runs where a rule or a format changed; records are read for changed rules."""
    _follow(con)
    con.execute(sql_of("done"))


def _follow(con: duckdb.DuckDBPyConnection, arrived: Arrived | None = None) -> None:
    con.execute(sql_of("definitions"))
    if con.execute("from changed_definition limit 1").fetchone() is not None:
        _fill(con, "select run_id from run", arrived)
        con.execute(sql_of("followed"))


def _fill(con: duckdb.DuckDBPyConnection, runs: str, arrived: Arrived | None = None) -> None:
    con.execute(f"create or replace temp table due_run as select distinct run_id from ({runs})")  # noqa: S608 - our own
    if con.execute("from due_run limit 1").fetchone() is None:
        return
    runs_due = sql_of("runs")
    for name, number in (("chunk_records", CHUNK_RECORDS), ("long_run", LONG_RUN), ("long_chunk", LONG_CHUNK)):
        runs_due = runs_due.replace(f"${name}", str(number))
    con.execute(runs_due)
    con.execute(_AS_WRITTEN)
    for (chunk,) in con.execute(_CHUNKS).fetchall():
        con.execute("create or replace temp table chunk_run as select run_id from due_chunk where chunk = ?", [chunk])
        con.execute(sql_of("claims"))
        logs = [log_id for (log_id,) in con.execute("select distinct log_id from chunk_claim").fetchall()]
        source = arrived if arrived is not None and arrived.has(logs) else _place_of_records(con, arrived)
        _keep_of_records(con, ChunkRecords(con, source, is_long=chunk < 0))
    if con.execute(_MOST_IS_OLD).fetchone() is not None:
        con.execute("reset disabled_optimizers")
    for part in ("run_speeds", "conflicts", "members", "cells", "campaigns"):
        con.execute(sql_of(part))
    if con.execute(_HAS_RELATIVES).fetchone() is not None:
        con.execute(sql_of("speedups"))
    con.execute("reset disabled_optimizers")


def _keep_of_records(con: duckdb.DuckDBPyConnection, records: ChunkRecords) -> None:
    # polars takes as long to import as all the rest of a small command.
    from benchledger.store.rollups.convergence import Convergence
    from benchledger.store.rollups.memory import Memory
    from benchledger.store.rollups.speeds import Speeds

    speeds, memory, convergence = Speeds(con, LONGEST_LIST, records.is_long), Memory(con), Convergence(con)
    with ThreadPoolExecutor(1) as beside:
        _look(records, beside, convergence.count, speeds.count, memory.count)
        memory.keep()
        speeds.ask(records)
        convergence.settle()
        _look(records, beside, convergence.follow, speeds.follow)
    speeds.keep()
    convergence.keep()


def _look(records: ChunkRecords, beside: Executor, first: Look, *others: Look) -> None:
    # None asks the connection anything while it takes a part, so that the first may have a core of its own, unless the
    # insert of what has just arrived has it: that is as long as all of these, and what they work out takes memory.
    with records.inserting() as goes_on:
        for part in records.parts():
            looking = None if goes_on() else beside.submit(first, part)
            for other in others if looking is not None else (first, *others):
                other(part)
            if looking is not None:
                looking.result()


def _place_of_records(con: duckdb.DuckDBPyConnection, arrived: Arrived | None) -> str:
    if arrived is not None:
        arrived.insert_rest()
    if con.execute(_COUNT).fetchall()[0][0] > FEW_RECORDS:
        return "record"
    con.execute(_COPIED)
    return "chunk_row"
