"""What the records of a chunk of runs say: speeds under every rule, memory, clocks, losses and evaluations."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from benchledger.kept.statements import OF_CLOCKS, OF_ONE_RANK, OF_ONE_RUN, finds, sql_of

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
# Finds rows out of order. In each batch, a join returns rows last whose key shares a slot of its hash table: a small
# run may then come after later ones. A line that prints its loss twice is found twice, also out of order.
_OUT_OF_ORDER = """
select 1
from (
    select losses_before as run, place, lag(losses_before) over () as run_before, lag(place) over () as before
    from loss
)
where run < run_before or (run = run_before and place < before)
"""
# Statements without work are skipped: to plan them takes longer than a small run.
_TELL_MEMORY = "from kept.shape where unit = 'MiB' limit 1"
_HAVE_METRICS = "from measure_at where measure_id in (select measure_id from convergence_shape where is_metric) limit 1"
_LOSS_WINDOWS = "select min(window_losses), max(window_losses), count(time_at) > 0 from loss_at"
# All records and all rules: for an explanation, kept/use.py names fewer.
_ALL = """
create or replace temp view chunk_record as from kept.record;
create or replace temp view chunk_rule as from kept.rule;
"""
# So many readings at both ends of a lane are read one by one, for the rules that skip or take some of them. All rules
# decide it, so that numbers are added in the same order when one of them is explained.
_ONE_BY_ONE_AT_ENDS = """
select coalesce(greatest(max(skip + coalesce(take, 0)) + 1, $least), $least), coalesce(max(skip_last), 0) + 1
from kept.rule
"""
_KEEP_SPEEDS = "insert into kept.speed by name select * exclude (rate) from speed_now"
_ONE_BY_ONE = "create or replace temp view piece as from stream_reading"
# Whether steps of a run may have several lines each. This rough count is cheap.
_REPEATS_STEPS = """
select run_id
from claimed_record
where part is not null
    and rank is null
    and shape_id in (select shape_id from kept.shape where kind = 'step' and phase = 'train')
group by run_id, shape_id
having count(step) > 1.4 * approx_count_distinct(step)
limit 1
"""
_NO_UNNAMED = "create or replace temp table unnamed_lane (run_id bigint, place bigint, lane bigint)"
_NONE_TIMED = """
create or replace temp table timed (
    run_id bigint, reading_key integer, lane integer, since bigint, step bigint, place bigint, value double
)
"""
_HAVE_MICRO_STEPS = "from kept.shape where quantity = 'micro_step' limit 1"
_NO_MICRO_STEPS = "create or replace temp table micro_value (run_id bigint, place bigint, value double)"
_WHOLE_CLAIM = ("run_id", "part", "log_place", "log_id", "load_number")
_CLAIMED = """
select
    coalesce(min(first_line), 0), coalesce(max(last_line), 0),
    count(distinct (run_id, log_id, segment)) = 1 and count(part) > 0,
    coalesce(bool_or(is_twin or devices is not null), false),
    any_value(run_id), any_value(part), any_value(log_place), any_value(log_id), any_value(load_number)
from claim
"""
# Whether the records of each run stand together, in its order, and whether all are of one rank.
_ORDER = """
select
    bool_and(not follows or place >= place_before) is not false
        and count(*) filter (not follows) = count(distinct if(follows, null, run_id)),
    bool_and(not follows or lane = lane_before) is not false
from (
    select
        run_id, place, lane, lag(place) over () as place_before, lag(lane) over () as lane_before,
        coalesce(lag(run_id) over () = run_id, false) as follows
    from ({})
)
"""
_CLAIMED_LANES = "select run_id, place, coalesce(rank, -1) as lane from claimed_record where part is not null"
_CLOCKED = "select run_id, place, 0 as lane from claimed_record where part is not null and clock_s is not null"
_STEPPED = "select run_id, place, 0 as lane from claimed_record where part is not null and step is not null"
_SAID = """
select run_id, place, 0 as lane
from claimed_record
where part is not null
    and (step is not null or epoch is not null)
    and shape_id in (select shape_id from kept.shape where kind in ('step', 'summary'))
"""
# `grep -n` puts a line number where a launcher puts a rank. If no two steps have the same number, it is no rank.
_NUMBERED_RUNS = """
create or replace temp table numbered_run as
select run_id
from claimed_record
where part is not null and rank is not null and step is not null
group by run_id
having count(*) >= 3 and count(distinct rank) = count(*) and count(distinct step) > 1
"""
_ORDERED = """
create or replace temp table ordered_record as
select * exclude (texts, lead, note) replace (if(run_id in (from numbered_run), null, rank) as rank)
from claimed_record
order by run_id, place;

create or replace temp view claimed_record as from ordered_record;
"""
_ORDERED_LOSSES = """
create or replace temp table ordered_loss as
from loss
order by losses_before, place;

create or replace temp view loss as from ordered_loss;
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
    order = claim_records(con, is_long=is_long)
    make_speeds(con, order, is_long=is_long)
    con.execute(_KEEP_SPEEDS)
    if finds(con, _TELL_MEMORY):
        con.execute(sql_of("memory"))
    con.execute(sql_of("log_clocks"))
    if finds(con, "from log_clock limit 1"):
        # Both windows of these statements are read as streams, or none is.
        are_streams = is_long and all(_streams_of(con, order, rows) for rows in (_STEPPED, _CLOCKED))
        con.execute(sql_of("clocks", streams=order.streams if are_streams else {}))
    con.execute(sql_of("chosen_losses"))
    if finds(con, "from loss_at limit 1"):
        con.execute(sql_of("losses"))
        if _is_out_of_order(con, order):
            con.execute(_ORDERED_LOSSES)
        least, most, are_timed = con.execute(_LOSS_WINDOWS).fetchall()[0]
        # If all losses have one window, its length becomes a constant of the statement.
        one_window = {"window_losses >": f"{least} >"} if least == most else {}
        clocks = {} if are_timed else OF_CLOCKS
        con.execute(sql_of("kept_losses", streams=order.streams | clocks | one_window))
    if finds(con, _HAVE_METRICS):
        con.execute(sql_of("evaluations"))


def _sum_up(con: duckdb.DuckDBPyConnection) -> None:
    are_long = finds(con, "from lane where is_long limit 1")
    con.execute(sql_of("pieces") if are_long else _ONE_BY_ONE)
    con.execute(sql_of("sums"))
    if finds(con, "from stream where is_bounded limit 1"):
        con.execute(sql_of("bounded_ends"))
    if are_long:
        con.execute(sql_of("counted_middles"))
    con.execute(sql_of("answers"))
    con.execute(sql_of("speeds"))


class RecordOrder(NamedTuple):
    """`streams`: windows that may be read as streams. `is_sure`: every subset of the records comes in their order."""

    streams: dict[str, str]
    is_sure: bool


def claim_records(con: duckdb.DuckDBPyConnection, *, is_long: bool = False) -> RecordOrder:
    """Makes claimed_record, the records of the runs in chunk_run, each run's together and in its order."""
    con.execute(sql_of("claims"))
    first_line, last_line, is_whole, in_part, *claim = con.execute(_CLAIMED).fetchall()[0]
    lines = {"first_line": first_line, "last_line": last_line}
    if is_whole and not in_part:
        con.execute(sql_of("claimed_whole", **lines, **dict(zip(_WHOLE_CLAIM, claim, strict=True))))
    else:
        con.execute(sql_of("claimed_in_part" if in_part else "claimed", **lines))
    in_order, one_rank = con.execute(_ORDER.format(_CLAIMED_LANES)).fetchall()[0]
    is_sure = in_order and is_whole and not in_part
    if not (in_order and one_rank):
        con.execute(_NUMBERED_RUNS)
        if not in_order or finds(con, "from numbered_run limit 1"):
            con.execute(_ORDERED)
            _, one_rank = con.execute(_ORDER.format(_CLAIMED_LANES)).fetchall()[0]
    streams = OF_ONE_RUN if is_long or is_sure else {}
    return RecordOrder(streams | (OF_ONE_RANK if one_rank else {}), is_sure)


def _streams_of(con: duckdb.DuckDBPyConnection, order: RecordOrder, rows: str) -> dict[str, str]:
    """The windows that may be read as streams if these rows alone come in order too; else none."""
    is_sure = order.is_sure or (order.streams and con.execute(_ORDER.format(rows)).fetchall()[0][0])
    return order.streams if is_sure else {}


def _is_out_of_order(con: duckdb.DuckDBPyConnection, order: RecordOrder) -> bool:
    # A join with one row changes no order.
    return (not order.is_sure or finds(con, "from loss_at limit 1 offset 1")) and finds(con, _OUT_OF_ORDER)


def make_speeds(con: duckdb.DuckDBPyConnection, order: RecordOrder, *, is_long: bool = False) -> None:
    """Makes speed_now, and the readings and windows that it comes from. `order`: as claim_records returns it.

    Of a long run most readings are only counted.
    """
    ((head, tail),) = con.execute(_ONE_BY_ONE_AT_ENDS, {"least": ONE_BY_ONE}).fetchall()
    con.execute(sql_of("repeats", streams=_streams_of(con, order, _SAID) if is_long else {}))
    con.execute(sql_of("micro_steps") if finds(con, _HAVE_MICRO_STEPS) else _NO_MICRO_STEPS)
    con.execute(sql_of("unnamed_ranks") if finds(con, _REPEATS_STEPS) else _NO_UNNAMED)
    con.execute(sql_of("readings"))
    steps = "from moment where is_step"
    if finds(con, "from needed_timing limit 1"):
        con.execute(sql_of("timings", streams=_streams_of(con, order, f"{steps} and makes_intervals")))
    else:
        con.execute(_NONE_TIMED)
    if finds(con, "from needed_timing where quantity <> 'interval' limit 1"):
        con.execute(sql_of("rounds", streams=_streams_of(con, order, steps) if is_long else {}))
    con.execute(sql_of("reading"))
    con.execute(sql_of("rules"))
    if is_long:
        con.execute(sql_of("value_counts", head=head, tail=tail))
    con.execute(sql_of("windows"))
    if finds(con, "from stream where lanes = 'median' limit 1"):
        con.execute(sql_of("medians"))
    con.execute(sql_of("lanes", head=head, tail=tail))
    _sum_up(con)
