"""A small share of `make bench-compare`: how often a verdict is wrong, with the noise of real trials."""

from __future__ import annotations

import random

from benchledger.comparing.pair_test import LESS, MORE, judge
from benchmarks.comparing import NOISE, comparison, real_noise

SOURCE = real_noise()


def test_equal_sides_raise_hardly_an_alarm() -> None:
    drawn = random.Random(3)
    verdicts = [{outcome.verdict for outcome in judge(comparison(SOURCE, drawn, 3, 40, None), 0.01)} for _ in range(60)]

    # At 1 % the fourth alarm of 60 comparisons comes once in 300 such tests.
    assert sum(bool(found & {LESS, MORE}) for found in verdicts) <= 3


def test_a_slow_down_is_found_with_few_trials() -> None:
    drawn = random.Random(4)
    for trials, slowed in ((5, 0.02), (3, 0.05)):
        found = [judge(comparison(SOURCE, drawn, trials, 40, NOISE, slowed), 0.01)[0] for _ in range(60)]

        # 99 % of 1,000.
        assert sum(outcome.verdict == LESS for outcome in found) >= 57


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    drawn = random.Random(5)
    outcomes = [one for _ in range(25) for one in judge(comparison(SOURCE, drawn, 3, 40, None), 0.01)]

    held = sum((one.low or 0) <= 1 <= (one.high or 9) for one in outcomes) / len(outcomes)

    assert 0.93 <= held <= 0.97
