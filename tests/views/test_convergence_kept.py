"""What an ingest keeps of losses is what the loss curve says, for any target: the curve reads the records, the tables do not."""

import math
import random
import re
import shutil
from contextlib import closing
from dataclasses import replace

import pytest

from benchledger.kept import fill, keep, runs
from benchledger.store.database import open_for_writing
from tests.views.conftest import ONE_GPU, Ledger

# As the curve has it, in one pass over all of it.
SUMMARY = """
with curve as (
    select
        run_id, name, any_value(losses) as losses, count(*) filter (where not isfinite(loss)) as losses_not_finite,
        min(loss) as lowest, max(loss) as highest, min(step) as first_step, arg_max(step, nth) as last_step,
        any_value(step_restarts) as step_restarts, arg_max(epoch, nth) as last_epoch,
        arg_max(seconds, nth) filter (where seconds_from = 'step times') as summed_s, arg_max(loss, nth) as last_loss,
        arg_max(line, nth) as line,
        arg_min({'mean': mean_loss, 'highest': mean_highest}, nth) filter (where mean_loss is not null) as start,
        arg_min({'mean': mean_loss, 'highest': mean_highest, 'step': step}, (mean_loss, nth))
            filter (where mean_loss is not null) as lowest_one,
        arg_max({'mean': mean_loss, 'lowest': mean_lowest}, nth) as final
    from kept.loss_curve
    where is_main
    group by run_id, name
)
select
    run_id, name, losses, losses_not_finite, lowest, highest, first_step, last_step, step_restarts, last_epoch, summed_s,
    last_loss, line, start.mean, start.highest, lowest_one.mean, lowest_one.highest, lowest_one.step, final.mean,
    final.lowest
from curve
order by run_id
"""
KEPT = """
select
    run_id, name, losses, losses_not_finite, lowest, highest, first_step, last_step, step_restarts, last_epoch, summed_s,
    last_loss, line, start_mean, start_highest, lowest_mean, lowest_highest, lowest_step, final_mean, final_lowest
from kept.loss
order by run_id
"""
REACHED = """
with told as (
    select *,
        losses >= fewest_losses()
        or bool_and(loss > $1) over (partition by run_id)
        or bool_and(loss <= $1) over (partition by run_id) as is_told
    from kept.loss_curve
    where is_main
)
select run_id, bool_or(is_told),
    arg_min({'epoch': epoch, 'step': step, 'samples': samples, 'seconds': seconds, 'value': mean_loss, 'line': line}, nth)
        filter (where is_told and mean_loss <= $1 + 1e-12 * abs($1))
from told
group by run_id
order by run_id
"""
AT_TARGET = """
select run_id, is_known,
    if(reached is null, null, {
        'epoch': reached.epoch, 'step': reached.step, 'samples': reached.samples, 'seconds': reached.seconds,
        'value': reached.value, 'line': reached.line
    })
from at_target('loss', $1)
order by run_id
"""


def as_texts(rows):
    return [re.sub(r"-?\bnan\b", "nan", repr(row)) for row in rows]


def losses_of(draw, ledger):
    """One run's losses: falling, flat or rising, with what logs do to them."""
    count = draw.choice((1, 5, 11, 12, 30, 39, 40, 45, 90))
    slope, noise = draw.choice((-0.05, -0.01, 0.0, 0.02)), draw.choice((0.0, 0.1, 1.0))
    bad = draw.choice(((), (), ("nan",), ("inf", "-inf"), ("nan", "nan", "nan")))
    values = [round(10 + slope * place + noise * draw.random(), draw.choice((2, 6))) for place in range(count)]
    for text in bad:
        values[draw.randrange(count)] = float(text)
    per_epoch = draw.choice((count, count, 7))
    dated, ranks = draw.random() < 0.6, draw.choice((1, 1, 2))
    names = draw.choice((("loss",), ("loss",), ("loss", "total_loss"), ("a", "b")))
    odd_s = draw.choice((0.25, 0.25, 0.25, 2.0**-40, math.inf, math.nan, 1e30))
    pieces = []
    for place, value in enumerate(values):
        for name in names if place % 3 else names[:1]:
            for rank in range(ranks):
                numbers = {"rank": rank if ranks > 1 else None, "epoch": place // per_epoch}
                at = place * 2.5 if dated else None
                piece = ledger.loss(value + rank, place % per_epoch, at=at, name=name, **numbers)
                took = ("time", "step_time", odd_s if place % 5 == 3 else 0.25 + place / 3, "s", None)
                pieces.append(replace(piece, values=(*piece.values, took)))
    return pieces


def past_midnights(ledger, start_s):
    """Losses and metrics, eleven hours apart, of a program that prints the time of the day without its date."""
    for hour in range(0, 660, 11):
        clock_s = (start_s + 3600.0 * hour) % 86_400
        yield ledger.loss(9.0 - 0.001 * hour, hour, clock_s=clock_s)
        if hour % 7 == 0:
            yield ledger.metric(60.0 + hour, hour, clock_s=clock_s, unit="%")
            yield ledger.metric(1.0 / (1 + hour), hour, name="wer", quantity="error_rate", clock_s=clock_s)


@pytest.fixture(scope="module")
def drawn(defined_ledger, tmp_path_factory):
    """Sixty runs, and three past midnights; some over two logs, some whose records stand in the table in no order."""
    path = shutil.copy(defined_ledger, tmp_path_factory.mktemp("kept") / "bench.duckdb")
    draw = random.Random(11)
    with closing(open_for_writing(path, records=0)) as con:
        con.begin()
        ledger = Ledger(con)
        for _ in range(60):
            run = ledger.run(*losses_of(draw, ledger), case=ONE_GPU)
            if draw.random() < 0.2:
                ledger.attach(run, ledger.log(*losses_of(draw, ledger)), "train")
        for start_s in (0.0, 7200.5, 80000.25):
            ledger.run(*past_midnights(ledger, start_s), case=ONE_GPU)
        con.execute(
            "create temp table shuffled as from kept.record where log_id % 5 = 0 order by hash(byte_offset, log_id)"
        )
        con.execute("delete from kept.record where log_id % 5 = 0; insert into kept.record from shuffled")
        yield ledger


def test_what_is_kept_of_losses_is_what_the_curve_says(drawn):
    told, kept = (as_texts(drawn.rows(query)) for query in (SUMMARY, KEPT))

    assert len(told) == 63
    assert kept == told


@pytest.mark.parametrize("target", [-1.0, 3.21, 9.0, 9.75, 9.9, 10.0, 10.04, 10.5, 11.0, 40.0])
def test_a_run_is_at_any_target_where_the_curve_is(drawn, target):
    told, kept = (drawn.rows(query, target) for query in (REACHED, AT_TARGET))

    assert as_texts(kept) == as_texts(told)


@pytest.mark.parametrize("long_run", [10**9, 20])
def test_a_midnight_stays_where_it_is_when_a_join_hands_on_records_in_no_order(drawn, monkeypatch, long_run):
    clocks = drawn.rows("from kept.run_clock order by run_id")
    written = runs.sql_of

    def turned(name, **given):
        text = written(name, **given)
        return text.replace(
            "    from claimed_record\n    semi", "    from (from claimed_record order by -place)\n    semi"
        )

    monkeypatch.setattr(runs, "sql_of", turned)
    # Records that are read without a join come in their order.
    monkeypatch.setattr(runs, "_CLAIMED", runs._CLAIMED.replace(") = 1 and", ") = 0 and"))
    monkeypatch.setattr(runs, "_CLOCKED", f"{runs._CLOCKED} order by -place")
    monkeypatch.setattr(fill, "LONG_RUN", long_run)
    past = drawn.rows(
        """
        delete from kept.run_hash
        where run_id in (select run_id from kept.run_clock where midnights <> [])
        returning run_id
        """
    )
    keep(drawn.filled)

    assert len(past) == 3
    assert drawn.rows("from kept.run_clock order by run_id") == clocks


def test_the_draw_has_every_kind_of_run(drawn):
    rows = drawn.rows("""
        select count(*) filter (step_restarts), count(*) filter (losses_not_finite > 0), count(*) filter (losses < 12),
            count(*) filter (summed_s > 1), count(*) filter (rank >= 0), count(*) filter (lowest_mean < start_mean)
        from kept.loss
    """)

    assert min(rows[0]) >= 5


TABLES = ("kept.run_clock", "kept.loss", "kept.low_loss", "kept.evaluation_all")


@pytest.mark.parametrize("one_in", [2, pytest.param(1, marks=pytest.mark.long)])
def test_of_a_long_run_that_is_read_as_a_stream_the_same_is_kept(drawn, monkeypatch, one_in):
    whole = {table: sorted(as_texts(drawn.rows(f"from {table}"))) for table in TABLES}
    monkeypatch.setattr(fill, "LONG_RUN", 1)

    numbered = "select run_id from run qualify row_number() over (order by run_id) % ? = 0"
    drawn.filled.execute(f"delete from kept.run_hash where run_id in ({numbered})", [one_in])
    keep(drawn.filled)

    assert {table: sorted(as_texts(drawn.rows(f"from {table}"))) for table in TABLES} == whole
    assert [len(found) for found in whole.values() if len(found) < 30] == []


def test_the_same_losses_in_another_order_have_the_same_mean_to_the_last_bit(ledger):
    digits = [12.5 + 0.01 * place for place in (3, 1, 4, 9, 5, 2, 6, 8, 7, 0)]
    ledger.run(*[ledger.loss(round(loss, 2), step) for step, loss in enumerate(digits * 4)])

    assert ledger.rows("select distinct mean_loss from kept.loss_curve where mean_loss is not null") == [(12.545,)]
    assert ledger.rows("select nth, mean_loss from kept.low_loss") == [(10, 12.545)]


def test_a_loss_that_a_line_prints_twice_counts_twice(ledger):
    pieces = [ledger.loss(9.0 - 0.1 * step, step) for step in range(20)]
    ledger.run(*[replace(piece, values=(*piece.values, *piece.values)) for piece in pieces])

    told, kept = (as_texts(ledger.rows(query)) for query in (SUMMARY, KEPT))

    assert ledger.rows("select losses, last_step, start_mean, lowest_mean from kept.loss") == [(40, 19, 8.8, 7.3)]
    assert kept == told


def test_runs_that_print_a_metric_only_have_no_loss(ledger):
    run = ledger.run(ledger.metric(60.0, 1))

    assert ledger.rows("select run_id, value from kept.evaluation_all") == [(run, 60.0)]
    assert ledger.rows("from kept.loss") == []
