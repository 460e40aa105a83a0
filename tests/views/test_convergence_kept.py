"""What an ingest keeps of losses is what the loss curve says, for any target: the curve reads the records, the tables do not."""

import random
import re
import shutil
from contextlib import closing
from dataclasses import replace

import pytest

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
    from loss_curve
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
from kept_loss
order by run_id
"""
REACHED = """
with told as (
    select *,
        losses >= fewest_losses()
        or bool_and(loss > $1) over (partition by run_id)
        or bool_and(loss <= $1) over (partition by run_id) as is_told
    from loss_curve
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
    pieces = []
    for place, value in enumerate(values):
        for name in names if place % 3 else names[:1]:
            for rank in range(ranks):
                numbers = {"rank": rank if ranks > 1 else None, "epoch": place // per_epoch}
                at = place * 2.5 if dated else None
                piece = ledger.loss(value + rank, place % per_epoch, at=at, name=name, **numbers)
                took = ("time", "step_time", 0.25 + place / 3, "s", None)
                pieces.append(replace(piece, values=(*piece.values, took)))
    return pieces


@pytest.fixture(scope="module")
def drawn(defined_ledger, tmp_path_factory):
    """Sixty runs, some over two logs, some whose records stand in the table in no order."""
    path = shutil.copy(defined_ledger, tmp_path_factory.mktemp("kept") / "bench.duckdb")
    draw = random.Random(11)
    with closing(open_for_writing(path)) as con:
        ledger = Ledger(con)
        for _ in range(60):
            run = ledger.run(*losses_of(draw, ledger), case=ONE_GPU)
            if draw.random() < 0.2:
                ledger.attach(run, ledger.log(*losses_of(draw, ledger)), "train")
        con.execute("create temp table shuffled as from record where log_id % 5 = 0 order by hash(byte_offset, log_id)")
        con.execute("delete from record where log_id % 5 = 0; insert into record from shuffled")
        yield ledger


def test_what_is_kept_of_losses_is_what_the_curve_says(drawn):
    told, kept = (as_texts(drawn.rows(query)) for query in (SUMMARY, KEPT))

    assert len(told) == 60
    assert kept == told


@pytest.mark.parametrize("target", [-1.0, 3.21, 9.0, 9.75, 9.9, 10.0, 10.04, 10.5, 11.0, 40.0])
def test_a_run_is_at_any_target_where_the_curve_is(drawn, target):
    told, kept = (drawn.rows(query, target) for query in (REACHED, AT_TARGET))

    assert as_texts(kept) == as_texts(told)


def test_the_draw_has_every_kind_of_run(drawn):
    rows = drawn.rows("""
        select count(*) filter (step_restarts), count(*) filter (losses_not_finite > 0), count(*) filter (losses < 12),
            count(*) filter (summed_s > 1), count(*) filter (rank >= 0), count(*) filter (lowest_mean < start_mean)
        from kept_loss
    """)

    assert min(rows[0]) >= 5
