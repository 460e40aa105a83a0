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
# What there is nothing to do for is not even planned, which takes most of the time that few runs take.
_HAS_MANIFESTS = "from run_log where role = 'manifest' limit 1"
_ARE_KEPT = "from due_run where run_id in (select run_id from run_format union all select run_id from kept_run) limit 1"
_GONE_SERIES = """
create or replace temp table gone_series as
select distinct series_id
from series_member
semi join due_pair
    on series_member.campaign is not distinct from due_pair.campaign and series_member.case_id = due_pair.case_id
"""
_ARE_CONTRADICTED = (
    "from fact semi join due_run using (run_id) where not used and value is not null and name <> 'campaign' limit 1"
)
_MAY_BE_NARROW = "select 1 from due_member group by campaign, case_id having min(series_id) <> max(series_id) limit 1"
# A series that is alone in its campaign is compared with itself only, of which nothing is kept.
_HAVE_RELATIVES = (
    "select 1 from series semi join due_pair on due_pair.campaign is not distinct from series.campaign"
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
    if _finds(con, "from changed_definition limit 1"):
        _fill(con, "select run_id from run", arrived, is_followed=False)
        con.execute(sql_of("followed"))


def _fill(
    con: duckdb.DuckDBPyConnection, runs: str, arrived: Arrived | None = None, *, is_followed: bool = True
) -> None:
    con.execute(f"create or replace temp table due_run as select distinct run_id from ({runs})")  # noqa: S608 - our own
    if not _finds(con, "from due_run limit 1"):
        return
    are_kept = _fill_runs(con, is_followed)
    con.execute(_AS_WRITTEN)
    for (chunk,) in con.execute(_CHUNKS).fetchall():
        con.execute("create or replace temp table chunk_run as select run_id from due_chunk where chunk = ?", [chunk])
        con.execute(sql_of("claims"))
        logs = [log_id for (log_id,) in con.execute("select distinct log_id from chunk_claim").fetchall()]
        source = arrived if arrived is not None and arrived.has(logs) else _place_of_records(con, arrived)
        _keep_of_records(con, ChunkRecords(con, source, is_long=chunk < 0))
    if _finds(con, _MOST_IS_OLD):
        con.execute("reset disabled_optimizers")
    con.execute(sql_of("run_speeds"))
    if _finds(con, _ARE_CONTRADICTED):
        con.execute(sql_of("conflicts"))
    _fill_series(con, are_kept)
    con.execute("reset disabled_optimizers")


def _fill_runs(con: duckdb.DuckDBPyConnection, is_followed: bool) -> bool:
    """What is known before records are read; whether anything was kept of these runs, which is gone then."""
    con.execute(sql_of("manifest_formats" if _finds(con, _HAS_MANIFESTS) else "formats"))
    con.execute(sql_of("runs"))
    if not is_followed:
        con.execute(sql_of("asked_again"))
    are_kept = _finds(con, _ARE_KEPT)
    if are_kept:
        con.execute(sql_of("gone"))
    chunks = sql_of("chunks")
    for name, number in (("chunk_records", CHUNK_RECORDS), ("long_run", LONG_RUN), ("long_chunk", LONG_CHUNK)):
        chunks = chunks.replace(f"${name}", str(number))
    con.execute(chunks)
    return are_kept


def _fill_series(con: duckdb.DuckDBPyConnection, are_kept: bool) -> None:
    con.execute(sql_of("pairs"))
    if are_kept:
        con.execute(sql_of("gone_pairs"))
    con.execute(_GONE_SERIES)
    are_gone = _finds(con, "from gone_series limit 1")
    if are_gone:
        con.execute(sql_of("gone_series"))
    con.execute(sql_of("members"))
    if _finds(con, "from exclusion limit 1"):
        con.execute("delete from due_member where run_id in (select run_id from excluded_run)")
    if _finds(con, _MAY_BE_NARROW):
        con.execute(sql_of("narrow"))
    con.execute(sql_of("series"))
    con.execute(sql_of("cells"))
    have_relatives = _finds(con, _HAVE_RELATIVES)
    if are_gone or have_relatives:
        con.execute(sql_of("campaigns"))
    if have_relatives:
        con.execute(sql_of("speedups"))


def _finds(con: duckdb.DuckDBPyConnection, question: str) -> bool:
    return con.execute(question).fetchone() is not None


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
