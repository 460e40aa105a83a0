"""What the records of a chunk of runs say: speeds under every rule, memory, clocks, losses and evaluations."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from benchledger.kept.statements import BY_RANK, BY_RUN, finds, sql_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb

# Of a longer lane of readings only so many at its head, and the few at its tail, are looked at one by one.
ONE_BY_ONE = 1_000
# The left side of a join is the one whose order is kept. The optimizer would change sides: records that a transaction
# has added count as none, so it builds tables of them (a run of 2.9 million records was read out of its order then).
# An operator that holds small pieces back, to hand them on together, would break the order too.
_AS_WRITTEN = """
set disabled_optimizers = 'join_order,build_side_probe_side';
set enable_caching_operators = false
"""
_AS_USUAL = "reset disabled_optimizers; reset enable_caching_operators"
_ARE_TWICE = "select 1 from loss_at group by run_id, shape_id having count(*) > 1"
# All records and all rules: for an explanation, kept/use.py names fewer.
_ALL = """
create or replace temp view chunk_record as from kept.record;
create or replace temp view chunk_rule as from kept.rule;
"""
# By one thread: of another order a sum differs in its last digit, and a rounded mean in its last decimal.
_IN_ORDER = """
create or replace temp table stream_reading as
from stream_reading_now
order by stream_id, lane, place
"""
_ALL_SINGLE = "create or replace temp view piece as from stream_reading"
_CLAIMED = """
select
    coalesce(min(first_line), 0), coalesce(max(last_line), 0), coalesce(bool_or(is_twin or devices is not null), false)
from claim
"""
_ORDER = """
select bool_and(place >= before is not false), min(lane) = max(lane)
from (select place, lag(place) over () as before, coalesce(rank, -1) as lane from claimed_record where part is not null)
"""


def fill_records(con: duckdb.DuckDBPyConnection, *, is_long: bool) -> None:
    """Fills what is kept of the runs in chunk_run. `is_long`: of one long run, whose records are not held."""
    con.execute(_ALL)
    with order_kept(con):
        _fill_records(con, is_long=is_long)


@contextmanager
def order_kept(con: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Within, rows that are joined with others keep their order."""
    con.execute(_AS_WRITTEN)
    yield
    con.execute(_AS_USUAL)


def _fill_records(con: duckdb.DuckDBPyConnection, *, is_long: bool) -> None:
    claim_records(con)
    in_order, one_rank = con.execute(_ORDER).fetchall()[0] if is_long else (False, False)
    streams = (*((BY_RUN,) if in_order else ()), *((BY_RANK,) if in_order and one_rank else ()))
    read_speeds(con, streams)
    con.execute(sql_of("lanes"))
    con.execute(sql_of("pieces") if finds(con, "from lane where is_long limit 1") else _ALL_SINGLE)
    con.execute(sql_of("answers"))
    con.execute(sql_of("speeds"))
    con.execute(sql_of("memory"))
    con.execute(sql_of("clocks", streams=streams))
    con.execute(sql_of("chosen_losses"))
    if finds(con, "from loss_at limit 1"):
        con.execute(sql_of("losses"))
        # A line that prints its loss twice is found twice by a join, which does not keep the order then.
        is_streamed = in_order and not finds(con, _ARE_TWICE)
        _hold(con, "loss", is_streamed=is_streamed)
        con.execute(sql_of("kept_losses", streams=streams if is_streamed else ()))
    if finds(con, "from metric_at limit 1"):
        con.execute(sql_of("evaluations"))


def claim_records(con: duckdb.DuckDBPyConnection) -> None:
    """Makes claimed_record, the records of the runs in chunk_run."""
    con.execute(sql_of("claims"))
    first_line, last_line, in_part = con.execute(_CLAIMED).fetchall()[0]
    name = "claimed_in_part" if in_part else "claimed"
    con.execute(sql_of(name, first_line=first_line, last_line=last_line))


def read_speeds(con: duckdb.DuckDBPyConnection, streams: tuple[str, ...] = ()) -> None:
    """Makes what rules count in, stream_reading and asked_reading. `streams`: windows whose rows stand in order."""
    con.execute(sql_of("readings"))
    con.execute("create or replace temp table printed as from printed_now")
    con.execute(sql_of("counted"))
    _hold(con, "moment", is_streamed=bool(streams))
    con.execute(sql_of("timings", streams=streams))
    con.execute("create or replace temp table timed as from timed_now")
    con.execute(sql_of("reading"))
    con.execute(sql_of("rules"))
    if streams:
        con.execute(sql_of("value_counts", one_by_one=ONE_BY_ONE))
    con.execute(sql_of("windows", one_by_one=ONE_BY_ONE))
    if finds(con, "from stream where lanes = 'median' limit 1"):
        con.execute(sql_of("medians"))
    # In this order, by one thread: of another order a sum differs in its last digit, and a rounded mean in its last decimal.
    con.execute(
        "create or replace temp table stream_reading as from stream_reading_now order by stream_id, lane, place"
    )


def _hold(con: duckdb.DuckDBPyConnection, name: str, *, is_streamed: bool) -> None:
    # Rows of many small runs are worked out once; those of a long run each time that they are asked for.
    con.execute(f"create or replace temp {'view' if is_streamed else 'table'} {name} as from {name}_now")
