"""Reference convergence points: figures of our own making, beside what scipy says of them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchledger.definitions.submissions import Demand
from benchledger.mlperf.reference_points import (
    ALPHA,
    TOLERANCE,
    Point,
    between,
    judge,
    least_mean,
    p_value,
    point_of,
    pruned,
)

TEN = Demand(runs=10)
EPOCHS = [10.0, 11.0, 12.0, 12.0, 13.0, 13.0, 14.0, 15.0, 16.0, 30.0] * 2


def point(batch_size: float, mean: float, stdev: float = 0.0) -> Point:
    return Point(batch_size, mean, stdev, 18, least_mean(mean, stdev, 18, 8))


def test_the_mean_is_without_the_extremes_and_the_deviation_is_of_all() -> None:
    made = point_of(256, EPOCHS, TEN)

    assert made is not None
    assert made.mean == pytest.approx((sum(EPOCHS) - 40) / 18, rel=1e-14)
    assert made.stdev == pytest.approx(math.sqrt(sum((x - 14.6) ** 2 for x in EPOCHS) / 20), rel=1e-14)
    assert made.counted == 18
    assert made.least == least_mean(made.mean, made.stdev, 18, 8)


def test_3d_u_net_leaves_out_four_on_either_side() -> None:
    numbers = [1.0, 1.0, 1.0, 1.0, 50.0, 60.0, 99.0, 99.0, 99.0, 99.0]

    made = point_of(32, numbers, Demand(40, 4))

    assert made is not None
    assert (made.mean, made.counted) == (55, 2)
    assert point_of(32, numbers[:8], Demand(40, 4)) is None


@settings(deadline=None)
@given(st.floats(1, 1e7), st.floats(1e-3, 0.3), st.integers(2, 80), st.integers(1, 38))
def test_the_least_mean_is_where_a_t_test_begins_to_doubt(
    mean: float, spread: float, reference: int, submitted: int
) -> None:
    stats = pytest.importorskip("scipy.stats")
    stdev = mean * spread
    least = least_mean(mean, stdev, reference, submitted)

    def doubt(tried: float) -> float:
        two_sided = stats.ttest_ind_from_stats(tried, stdev, reference, mean, stdev, submitted, equal_var=True)
        return float(two_sided.pvalue) / 2

    assert 0 <= least < mean
    assert doubt(least + TOLERANCE) >= ALPHA
    if least > TOLERANCE:
        assert doubt(least - TOLERANCE) <= ALPHA


@pytest.mark.parametrize(("mean", "stdev"), [(40.0, 0.0), (1e300, 1e290)])
def test_the_search_ends_for_a_mean_without_spread_and_for_one_beyond_all_measure(mean: float, stdev: float) -> None:
    assert least_mean(mean, stdev, 18, 8) == pytest.approx(mean)


def test_a_chance_is_one_sided_and_a_half_at_the_references_own_mean() -> None:
    reference = point(256, 100, 10)

    assert p_value(100, reference, TEN) == 0.5
    assert p_value(reference.least, reference, TEN) == pytest.approx(ALPHA, abs=1e-5)
    assert p_value(110, reference, TEN) == pytest.approx(0.98643, abs=1e-5)
    assert p_value(100, point(256, 100), TEN) is None


def test_between_two_points_mean_and_deviation_lie_on_a_line() -> None:
    made = between(point(100, 10, 1), point(200, 30, 3), 150, TEN)

    assert (made.mean, made.stdev, made.counted, made.between) == (20, 2, 20, (100, 200))
    assert made.least == least_mean(20, 2, 20, 8)


def test_slow_points_are_pruned() -> None:
    # 100 is below the fastest; 300 lies above the line from 200 to 400, and so does 500 from 400 to 600.
    points = [point(100, 14), point(200, 10), point(300, 20), point(400, 22), point(500, 30), point(600, 36)]

    assert [kept.batch_size for kept in pruned(points[::-1], TEN)] == [200, 400, 600]
    on_the_line = [point(200, 10), point(400, 22), point(500, 29), point(600, 36)]
    assert pruned(on_the_line, TEN) == on_the_line
    assert pruned([], TEN) == []


def test_a_pass_a_normalised_pass_and_a_failure() -> None:
    points = [point(256, 100, 10)]

    slow, fast, too_fast = (judge(points, 256, [mean] * 10, TEN) for mean in (120, 95, 90))

    assert (slow.passed, slow.factor, slow.mean) == (True, 1.0, 120)
    assert (fast.passed, fast.factor) == (True, pytest.approx(100 / 95))
    assert (too_fast.passed, too_fast.factor, too_fast.reason) == (False, None, "faster than chance allows")
    assert too_fast.p is not None
    assert too_fast.p < ALPHA < (fast.p or 0)


def test_one_run_may_fail_to_converge_and_two_may_not() -> None:
    points = [point(256, 100, 10)]

    assert judge(points, 256, [100.0] * 9 + [None], TEN).mean == 100
    assert judge(points, 256, [100.0] * 8 + [None] * 2, TEN).passed is False
    assert judge(points, 256, [100.0] * 36 + [None] * 4, Demand(40, 4)).passed is True
    assert judge(points, 256, [100.0] * 35 + [None] * 5, Demand(40, 4)).passed is False


@pytest.mark.parametrize(
    ("batch_size", "mean", "passed", "reason"),
    [
        (150, 20.0, True, ""),
        (150, 5.0, False, "faster than chance allows"),
        (300, 20.0, None, "no reference point at or above batch size 300"),
        (50, 11.0, True, "slower than the reference at a larger batch size"),
        (50, 5.0, None, "no reference point at or below batch size 50"),
    ],
)
def test_a_batch_size_without_a_point_of_its_own(
    batch_size: float, mean: float, passed: bool | None, reason: str
) -> None:
    points = [point(200, 30, 3), point(100, 10, 1)]

    verdict = judge(points, batch_size, [mean] * 10, TEN)

    assert (verdict.passed, verdict.reason) == (passed, reason)


def test_nothing_is_told_without_points_or_of_too_few_runs() -> None:
    assert judge([], 256, [100.0] * 10, TEN).reason == "no reference point"
    assert judge([point(256, 100, 10)], 256, [100.0] * 2, TEN).reason == "too few runs: 2, of which 2 do not count"
