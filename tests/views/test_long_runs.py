"""Of a long run only the ends of its readings are kept one by one: a rule says of it what it would say of all of them."""

import itertools
import math
import random

import pytest

from benchledger.kept import fill, runs
from tests.views.conftest import Piece

WINDOWS = (
    {}, {"skip": 1}, {"skip": 7, "skip_last": 2}, {"skip": 2, "take": 5}, {"take": 90, "complete": True},
    {"after_step": 4}, {"after_step": 3, "to_step": 15, "complete": True},
)  # fmt: skip
STATISTICS = (
    {"statistic": "mean"}, {"statistic": "mean", "average_of": "times"}, {"statistic": "median"},
    {"statistic": "median", "average_of": "times"}, {"statistic": "trimmed", "trim": 2, "trim_from": 9},
    {"statistic": "last"}, {"statistic": "mean", "positive_only": True},
    {"statistic": "mean", "reading_rounding": "round_even", "reading_rounding_digits": 0},
)  # fmt: skip
KINDS = (
    {"quantity": "throughput"}, {"quantity": "interval", "unit": "steps/s"}, {"quantity": "round", "unit": "steps/s"},
    {"quantity": "throughput", "ranks": "first"}, {"quantity": "throughput", "ranks": "each"},
    {"quantity": "throughput", "ranks": "median"},
)  # fmt: skip


# All count between the same steps, and none in the median of the ranks: the middle of their readings is grouped by value.
OF_ONE_BOUND = ((*WINDOWS[:4], WINDOWS[6]), KINDS[:5])


def every_rule(windows=WINDOWS, kinds=KINDS):
    for kind, window, statistic in itertools.product(kinds, windows, STATISTICS):
        if kind.get("ranks") != "mean" or statistic == {"statistic": "mean"}:
            yield {**kind, **window, **statistic}
    for window, average_of in itertools.product(windows, ("rates", "times")):
        yield {"quantity": "throughput", "ranks": "mean", "average_of": average_of, **window}


# What a log says of the rank of a line: its number, nothing, or the number of the line (`grep -n`).
NAMES_OF_RANKS = (lambda rank, _: rank, lambda *_: None, lambda rank, step: 10 * step + rank)


def speeds(rng, steps, ranks):
    """Speeds as logs print them: few digits, so that many are equal; some nought, below it, or no number."""
    odd = (0.0, -3.0, math.nan, math.inf)
    for step in range(steps):
        for rank in range(ranks):
            yield step, rank, rng.choice(odd) if rng.random() < 0.05 else round(rng.uniform(90, 110), 1)


def said(ledger):
    columns = "run_id, rule, phase, unit, records_used, records_skipped, status, reason, is_window_whole, value"
    rows = ledger.con.execute(f"select {columns} from kept.speed order by run_id, rule, phase, unit").fetchall()
    return [row[:-1] for row in rows], [math.nan if row[-1] is None else row[-1] for row in rows]


def asked_of_runs(ledger, rng, rules=()):
    ledger.con.execute("delete from kept.rule")
    for number, rule in enumerate(every_rule(*rules)):
        ledger.rule(f"test.r{number:03}", **rule)
    for steps, ranks in ((0, 1), (1, 1), (12, 1), (60, 1), (150, 1), (9, 3), (40, 3)):
        for name in NAMES_OF_RANKS[: 1 if ranks == 1 else None]:
            at = itertools.accumulate(rng.choice((0.25, 0.25, 0.5, 3.0)) for _ in range(steps * ranks))
            ledger.run(
                *(
                    ledger.step(
                        step + step // 20, next(at), speed, rank=name(rank, step) if ranks > 1 else None, epoch=0
                    )
                    for step, rank, speed in speeds(rng, steps, ranks)
                )
            )
    for name in NAMES_OF_RANKS[:2]:
        ledger.run(
            *(with_micro_step(ledger, rng, *place, name) for place in itertools.product(range(50), range(3), range(2)))
        )


def with_micro_step(ledger, rng, step, micro, rank, name):
    values = (
        ("micro", "micro_step", micro, None, None),
        ("ips", "throughput", rng.choice((90.5, 97.0, 99.5)), "samples/s", "global"),
    )
    return Piece("step", values, "train", {"step": step, "rank": name(rank, step)})


def test_readings_are_in_their_order_also_if_some_lines_print_more_of_them(ledger):
    ledger.rule("test.mean_skip5", quantity="throughput", unit="samples/s", skip=5)
    other = ("speed", "throughput", 2.0, "steps/s", "global")
    ledger.run(
        *(
            Piece("step", (*((other,) if step < 9 else ()), ("ips", "throughput", 100.0 + step, "samples/s", "global")),
                  "train", {"step": step})
            for step in range(20)
        )
    )  # fmt: skip

    assert ledger.rows("select value from kept.speed where rule = 'test.mean_skip5'") == [(100.0 + (5 + 19) / 2,)]


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.long)])
def test_a_rule_says_of_the_ends_and_the_body_what_it_says_of_the_whole_list(ledger, monkeypatch, seed):
    asked_of_runs(ledger, random.Random(seed))
    monkeypatch.setattr(runs, "ONE_BY_ONE", 10**5)
    lists, values = said(ledger)
    monkeypatch.setattr(runs, "ONE_BY_ONE", 1)
    ends, values_of_ends = said(ledger)

    assert ends == lists
    assert values_of_ends == pytest.approx(values, rel=1e-12, nan_ok=True)
    assert sum(not math.isnan(value) for value in values) > 1000


@pytest.mark.parametrize(
    ("one_by_one", "rules"), [(1, ()), (1, OF_ONE_BOUND), pytest.param(10**5, (), marks=pytest.mark.long)]
)
def test_runs_that_are_read_as_a_stream_say_to_the_last_digit_what_they_say_among_others(
    ledger, monkeypatch, one_by_one, rules
):
    asked_of_runs(ledger, random.Random(3), rules)
    monkeypatch.setattr(runs, "ONE_BY_ONE", one_by_one)
    whole = said(ledger)
    # A run takes as much as 20 records by itself: all but the shortest are read alone.
    monkeypatch.setattr(fill, "CHUNK_RECORDS", 25)
    monkeypatch.setattr(fill, "LONG_RUN", 25)
    alone, values = said(ledger)

    assert alone == whole[0]
    assert values == pytest.approx(whole[1], abs=0, rel=0, nan_ok=True)
