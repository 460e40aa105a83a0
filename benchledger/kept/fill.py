"""Fills the kept tables for the runs whose records, case or rules have changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchledger.kept.runs import fill_records, order_kept
from benchledger.kept.statements import finds, one_thread, sql_of, temporary_relations

if TYPE_CHECKING:
    import duckdb

# So many records at a time are asked for what they say. A run of more than LONG_RUN is read by itself, as a stream: of
# 360,000 records that took 0.8 s, among others 1.3.
CHUNK_RECORDS = 750_000
LONG_RUN = 100_000
_HAVE_CHANGED = "from changed_definition limit 1"
_CHUNKS = "select distinct chunk from due_chunk order by chunk"
# What there is nothing to do for is not even planned, which takes most of the time that few runs take.
_HAS_MANIFESTS = "from run_log where role = 'manifest' limit 1"
_ARE_KEPT = (
    "from due_run where run_id in"
    " (select run_id from kept.run_format union all select run_id from kept.run_hash) limit 1"
)
_ARE_PLANNED = (
    "from kept.run_format semi join due_run using (run_id)"
    " where format in (select format from kept.format where has_planned_speed) limit 1"
)
_ARE_CONTRADICTED = (
    "select 1 from fact semi join due_run using (run_id)"
    " where used or (value is not null and name <> 'campaign' and strength <> 'related')"
    " group by run_id, name having min(value) <> max(value) or count(value) < count(*) limit 1"
)
_ARE_SUBMITTED = "from fact semi join due_member using (run_id) where name = 'benchmark' limit 1"
_MAY_BE_VAGUE = "select 1 from due_member group by campaign, case_id having min(series_id) <> max(series_id) limit 1"
_HAVE_TRIALS = "select 1 from due_member group by series_id having count(*) > 1 limit 1"
# A series that is alone in its campaign is compared with itself only, of which nothing is kept.
_HAVE_RELATIVES = (
    "select 1 from series semi join due_pair on due_pair.campaign is not distinct from series.campaign"
    " group by series.campaign having count(*) > 1 limit 1"
)


def keep(con: duckdb.DuckDBPyConnection, runs: str = "select run_id from run") -> None:
    """Fills the kept tables again for the runs of a query, gone ones too. Opens no transaction of its own.

    A run whose logs and case are what they were is not read again. Where a rule or a format changed, for all runs.
    """
    with temporary_relations(con), one_thread(con):
        con.execute(sql_of("definitions"))
        if not finds(con, _HAVE_CHANGED):
            _fill(con, runs)
            return
        _fill(con, f"select run_id from run union ({runs})")  # noqa: S608 - our own
        con.execute(sql_of("followed"))


def follow_definitions(con: duckdb.DuckDBPyConnection) -> None:
    """Fills the kept tables again for all runs where a rule or a format changed; records are read for changed rules."""
    keep(con, "select run_id from run where false")


def _fill(con: duckdb.DuckDBPyConnection, runs: str) -> None:
    con.execute(f"create or replace temp table due_run as select distinct run_id from ({runs})")  # noqa: S608 - our own
    if not finds(con, "from due_run limit 1"):
        return
    con.execute(sql_of("manifest_formats" if finds(con, _HAS_MANIFESTS) else "formats"))
    con.execute(sql_of("due"))
    if finds(con, _ARE_KEPT):
        con.execute(sql_of("gone"))
    con.execute(sql_of("due_chunks", long_run=LONG_RUN, chunk_records=CHUNK_RECORDS))
    for (chunk,) in con.execute(_CHUNKS).fetchall():
        con.execute("create or replace temp table chunk_run as select run_id from due_chunk where chunk = ?", [chunk])
        with temporary_relations(con):
            fill_records(con, is_long=chunk < 0)
    if finds(con, _ARE_PLANNED):
        con.execute(sql_of("planned_speeds"))
    con.execute(sql_of("run_speeds"))
    if finds(con, _ARE_CONTRADICTED):
        con.execute(sql_of("conflicts"))
    _fill_series(con)


def _fill_series(con: duckdb.DuckDBPyConnection) -> None:
    con.execute(sql_of("pairs"))
    are_gone = finds(con, "from gone_series limit 1")
    if are_gone:
        con.execute(sql_of("gone_series"))
    con.execute(sql_of("members"))
    if finds(con, "from kept.exclusion limit 1"):
        con.execute("delete from due_member where run_id in (select run_id from kept.excluded_run)")
    if finds(con, _MAY_BE_VAGUE):
        con.execute(sql_of("merge_vague_series"))
    if finds(con, _ARE_SUBMITTED):
        con.execute(sql_of("submissions"))
    if finds(con, _HAVE_TRIALS):
        # Else all records that this transaction has added are held in memory, to be joined with a few.
        with order_kept(con):
            con.execute(sql_of("alike_logs"))
            if finds(con, "from alike_log limit 1"):
                con.execute(sql_of("copies"))
            con.execute(sql_of("differences"))
    con.execute(sql_of("series"))
    con.execute(sql_of("cells"))
    if are_gone or finds(con, _HAVE_RELATIVES):
        con.execute(sql_of("speedups"))
