"""Of a long run only the ends of its readings are kept one by one: a rule says of it what it would say of all of them."""

import itertools
import math
import random

import pytest

from benchledger.store import rollups
from benchledger.store.rollups import ends, frames

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


def every_rule():
    for kind, window, statistic in itertools.product(KINDS, WINDOWS, STATISTICS):
        if kind.get("ranks") != "mean" or statistic == {"statistic": "mean"}:
            yield {**kind, **window, **statistic}
    for window, average_of in itertools.product(WINDOWS, ("rates", "times")):
        yield {"quantity": "throughput", "ranks": "mean", "average_of": average_of, **window}


def speeds(rng, steps, ranks):
    """Speeds as logs print them: few digits, so that many are equal; some nought, below it, or no number."""
    odd = (0.0, -3.0, math.nan, math.inf)
    for step in range(steps):
        for rank in range(ranks):
            yield step, rank, rng.choice(odd) if rng.random() < 0.05 else round(rng.uniform(90, 110), 1)


def said(ledger):
    columns = "run_id, rule, phase, unit, records_used, records_skipped, status, reason, is_window_whole, value"
    rows = ledger.con.execute(f"select {columns} from kept_speed order by run_id, rule, phase, unit").fetchall()
    return [row[:-1] for row in rows], [math.nan if row[-1] is None else row[-1] for row in rows]


def asked_of_runs(ledger, rng):
    ledger.con.execute("delete from rule")
    for number, rule in enumerate(every_rule()):
        ledger.rule(f"test.r{number:03}", **rule)
    for steps, ranks in ((0, 1), (1, 1), (12, 1), (60, 1), (150, 1), (9, 3), (40, 3)):
        at = itertools.accumulate(rng.choice((0.25, 0.25, 0.5, 3.0)) for _ in range(steps * ranks))
        ledger.run(
            *(
                ledger.step(step + step // 20, next(at), speed, rank=rank if ranks > 1 else None, epoch=0)
                for step, rank, speed in speeds(rng, steps, ranks)
            )
        )


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.long)])
def test_a_rule_says_of_the_ends_and_the_body_what_it_says_of_the_whole_list(ledger, monkeypatch, seed):
    asked_of_runs(ledger, random.Random(seed))
    monkeypatch.setattr(rollups, "LONGEST_LIST", 10**9)
    lists, values = said(ledger)
    monkeypatch.setattr(rollups, "LONGEST_LIST", 0)
    ends, values_of_ends = said(ledger)

    assert ends == lists
    assert values_of_ends == pytest.approx(values, rel=1e-12, nan_ok=True)
    assert sum(not math.isnan(value) for value in values) > 1000


@pytest.mark.parametrize(
    ("longest_list", "long_chunk"),
    [(0, 300), pytest.param(0, 1, marks=pytest.mark.long), pytest.param(10**9, 300, marks=pytest.mark.long)],
)
def test_runs_that_are_read_in_parts_say_to_the_last_digit_what_they_say_whole(
    ledger, monkeypatch, longest_list, long_chunk
):
    asked_of_runs(ledger, random.Random(3))
    monkeypatch.setattr(rollups, "LONGEST_LIST", longest_list)
    whole = said(ledger)
    # A run takes as much as 20 records by itself: all but the shortest are read in parts.
    monkeypatch.setattr(rollups, "CHUNK_RECORDS", 25)
    monkeypatch.setattr(rollups, "LONG_RUN", 25)
    # One at a time, or a few together.
    monkeypatch.setattr(rollups, "LONG_CHUNK", long_chunk)
    monkeypatch.setattr(frames, "PART_RECORDS", 23)
    monkeypatch.setattr(ends, "COUNTED_AT_ONCE", 5)
    parts, values = said(ledger)

    assert parts == whole[0]
    assert values == pytest.approx(whole[1], abs=0, rel=0, nan_ok=True)
