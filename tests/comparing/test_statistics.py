"""What the numbers of a comparison say: distributions, shared noise, verdicts, and how many more trials decide."""

from __future__ import annotations

import math
import random

import pytest

from benchledger.answers.student_t import t_quantile, t_two_sided
from benchledger.comparing.compare import steps_variance
from benchledger.comparing.distributions import digamma, fit_noise, inverse_trigamma, trigamma
from benchledger.comparing.pair_test import Pair, adjust, geometric_mean, judge

QUIET = Pair([100.0, 100.2, 99.9], [100.1, 99.9, 100.0])


def verdict(pair: Pair, *others: Pair, threshold: float = 0.01) -> str:
    return judge([pair, *others], threshold)[0].verdict


@pytest.mark.parametrize(
    ("t", "df", "expected"),
    # From the tables of Student's t; of one degree of freedom it is the Cauchy distribution.
    [(12.706, 1, 0.05), (4.303, 2, 0.05), (2.776, 4, 0.05), (4.604, 4, 0.01), (1.96, math.inf, 0.05), (0, 3, 1)],
)
def test_students_t_is_that_of_the_tables(t: float, df: float, expected: float) -> None:
    assert t_two_sided(t, df) == pytest.approx(expected, rel=1e-3)
    if expected < 1:
        assert t_quantile(expected, df) == pytest.approx(t, rel=1e-3)


def test_derivatives_of_the_gamma_function_are_those_of_the_tables() -> None:
    assert digamma(1) == pytest.approx(-0.5772156649015329)
    assert trigamma(1) == pytest.approx(math.pi**2 / 6)
    assert trigamma(inverse_trigamma(0.3)) == pytest.approx(0.3)


def test_alike_cases_lend_each_other_their_noise_and_unlike_ones_do_not() -> None:
    drawn = random.Random(1)
    alike = [(sum(drawn.gauss(0, 0.005) ** 2 for _ in range(4)), 4.0) for _ in range(40)]
    unlike = [(squares * 4 ** drawn.uniform(-4, 4), df) for squares, df in alike]

    assert fit_noise(alike).df > 20
    assert math.sqrt(fit_noise(alike).variance) == pytest.approx(0.005, rel=0.2)
    assert fit_noise(unlike).df < 2
    assert fit_noise(alike[:2]).df == 0


def test_three_trials_a_side_are_enough_to_call_a_case_slower() -> None:
    outcome = judge([Pair([100.0, 100.5, 99.5], [95.0, 95.5, 94.5])], 0.01)[0]

    assert (outcome.verdict, outcome.interval_from) == ("less", "trials")
    assert outcome.ratio == pytest.approx(0.95, rel=1e-4)
    assert outcome.low is not None
    assert outcome.high is not None
    assert outcome.low < 0.95 < outcome.high < 0.97


def test_a_certain_change_below_the_threshold_is_the_same() -> None:
    small = Pair([100.0, 100.01, 99.99], [99.5, 99.51, 99.49])

    assert verdict(small, threshold=0.01) == "same"
    assert verdict(small, threshold=0.003) == "less"


def test_noise_that_hides_a_change_is_undecided_and_says_how_many_trials_would_decide() -> None:
    outcome = judge([Pair([100.0, 104.0, 96.0], [94.0, 98.0, 90.0])], 0.01)[0]

    assert outcome.verdict == "undecided"
    # Of 9 trials a side with a noise of 4 %, 6 % are 3.2 standard errors: a t-test at 0.7 % asks for 3.1.
    assert outcome.more_trials == 6
    # With that many the same values decide.
    wanted = 3 + 6
    a, b = ([[100.0, 104.0, 96.0][n % 3] for n in range(wanted)], [[94.0, 98.0, 90.0][n % 3] for n in range(wanted)])
    assert verdict(Pair(a, b)) == "less"


def test_one_outlier_is_no_verdict() -> None:
    assert verdict(Pair([100.0, 100.1, 99.9], [100.0, 90.0, 100.1]), *[QUIET] * 39) == "undecided"


def test_of_one_trial_a_side_nothing_is_said_without_other_cases() -> None:
    alone = judge([Pair([100.0], [90.0], 1e-6, 1e-6)], 0.01)[0]

    assert (alone.verdict, alone.interval_from, alone.more_trials) == ("undecided", "steps", 2)
    assert alone.high is not None
    assert alone.high < 0.91
    assert judge([Pair([100.0], [90.0])], 0.01)[0].low is None


def test_one_trial_a_side_is_judged_by_the_noise_of_other_cases() -> None:
    others = [Pair([100.0, 100.2 + n / 50, 99.9], [100.1, 99.8, 100.0 + n / 50]) for n in range(10)]

    outcome = judge([Pair([100.0], [90.0]), *others], 0.01)[0]

    assert (outcome.verdict, outcome.interval_from) == ("less", "other_trials")


def test_a_noisy_side_of_few_trials_is_not_judged_by_a_quiet_one_of_many() -> None:
    quiet = [100.0 + n % 3 / 100 for n in range(30)]

    assert verdict(Pair(quiet, [97.0, 103.0, 94.0])) == "undecided"


def test_false_discovery_rates_are_those_of_benjamini_and_hochberg() -> None:
    assert adjust([0.01, 0.04, None, 0.03, 0.5]) == pytest.approx([0.04, 0.16 / 3, None, 0.16 / 3, 0.5])


def test_the_geometric_mean_is_over_all_pairs_with_its_interval() -> None:
    faster, slower = (
        Pair([100.0, 100.2, 99.8], [110.0, 110.2, 109.8]),
        Pair([110.0, 110.3, 109.7], [100.0, 100.1, 99.9]),
    )

    ratio, low, high = geometric_mean([faster, slower])

    assert ratio == pytest.approx(1.0, abs=1e-4)
    assert low is not None
    assert high is not None
    assert low < 1 < high < 1.01


def test_steps_that_drift_together_are_no_independent_steps() -> None:
    drawn = random.Random(2)
    white = [100 * math.exp(drawn.gauss(0, 0.01)) for _ in range(400)]
    slow = [100 * math.exp(0.01 * math.sin(step / 60)) for step in range(400)]

    assert steps_variance(white) == pytest.approx(0.01**2 / 400, rel=0.6)
    assert (steps_variance(slow) or 0) > 4 * 0.01**2 / 400
    assert steps_variance(white[:5]) is None


def test_one_far_trial_of_five_is_left_out_and_two_are_not() -> None:
    usual = [100.0, 100.2, 99.9, 100.1, 99.8]
    slower = [value * 0.98 for value in usual]
    far, two_far = [*slower[:4], 80.0], [*slower[:3], 80.0, 81.0]

    assert (judge([Pair(usual, far)], 0.01)[0].verdict, judge([Pair(usual, far)], 0.01)[0].outliers) == ("less", 1)
    assert judge([Pair(usual, far)], 0.01)[0].ratio == pytest.approx(0.98, abs=0.002)
    assert judge([Pair(usual, two_far)], 0.01)[0].outliers == 0
    assert geometric_mean([Pair(usual, far)])[0] == pytest.approx(0.98, abs=0.002)
    # Three trials a side do not show which one is usual; and equal ones have no spread.
    assert judge([Pair(usual[:3], [*slower[:2], 80.0])], 0.01)[0].outliers == 0
    assert judge([Pair([100.0] * 5, [100.0] * 5)], 0.01)[0].outliers == 0
