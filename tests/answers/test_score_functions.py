"""The arithmetic of scores, beside examples worked out by hand and what must hold of any numbers."""

from __future__ import annotations

import math
from statistics import fmean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchledger.answers.score import (
    baseline,
    baseline_of,
    benchmark_score,
    fences,
    milabench_score,
    overall_score,
    quantile,
    summary,
    violates,
)

SPEEDS = st.lists(st.floats(1e-3, 1e6), min_size=1, max_size=40)


def test_milabenchs_score_of_a_benchmark_adds_the_gpus_and_counts_the_failures() -> None:
    assert benchmark_score([10.0, 12.0], runs=4, failures=1) == 16.5
    assert benchmark_score([10.0], runs=0, failures=0) == 10.0


def test_milabenchs_score_of_all_is_a_weighted_mean_of_logarithms() -> None:
    assert overall_score([99.0, 0.0], [1.0, 1.0]) == pytest.approx(math.exp((math.log(100) + math.log(1)) / 2))
    assert overall_score([99.0, 7.0], [2.0, 1.0]) == pytest.approx((100**2 * 8) ** (1 / 3))
    assert overall_score([99.0], [0.0]) is None


def test_a_failed_benchmark_lowers_the_score_of_all_and_one_of_no_weight_does_not() -> None:
    rows = milabench_score([("a", 1.0, [10.0, 14.0], 0), ("b", 1.0, [], 2), ("c", 0.0, [5.0], 1)])

    assert [(row["label"], row["n"], row["fail"], row["perf"], row["score"]) for row in rows] == [
        ("a", 2, 0, 12.0, 12.0),
        ("b", 2, 2, None, 0.0),
        ("c", 2, 1, 5.0, 2.5),
        ("all", 6, 3, None, pytest.approx(math.sqrt(13))),
    ]


@given(SPEEDS, st.floats(0.01, 100))
def test_the_score_of_all_lies_between_the_scores_and_the_scale_of_weights_does_not_matter(
    scores: list[float], scale: float
) -> None:
    weights = [1.0 + place for place in range(len(scores))]
    found = overall_score(scores, weights)

    assert found is not None
    assert min(scores) + 1 <= found * (1 + 1e-9)
    assert found <= (max(scores) + 1) * (1 + 1e-9)
    assert overall_score(scores, [scale * weight for weight in weights]) == pytest.approx(found)


@given(SPEEDS, st.floats(0, 1))
def test_a_quantile_lies_between_the_extremes_whatever_the_order(values: list[float], share: float) -> None:
    assert min(values) <= quantile(values, share) <= max(values)
    assert quantile(values[::-1], share) == quantile(values, share)


def test_superbenchs_statistics_and_fences() -> None:
    values = [10.0, 20.0, 30.0, 40.0, 100.0]
    (row,), (fence,) = summary([("a", 1.0, values, 3)]), fences([("a", 1.0, values, 3)])

    assert (row["count"], row["min"], row["max"], row["mean"]) == (5, 10.0, 100.0, 40.0)
    assert (row["p25"], row["p50"], row["p90"], row["std"]) == (20.0, 30.0, pytest.approx(76.0), stdev(values))
    assert (fence["mild_upper"], fence["mild_lower"]) == (40 + 1.5 * 20, 20 - 1.5 * 20)
    assert (fence["extreme_upper"], fence["extreme_lower"]) == (100.0, -40.0)
    assert (fence["mild_upper_bound"], fence["extreme_lower_bound"]) == (0.75, -2.0)


def test_one_value_has_no_deviation_and_none_no_row() -> None:
    assert summary([("a", 1.0, [5.0], 0)])[0]["std"] is None
    assert summary([("a", 1.0, [], 2)]) == fences([("a", 1.0, [], 2)]) == []


def test_superbenchs_baseline_is_taken_again_without_its_violators() -> None:
    # 100 x 4, 90, 10: the mean 83.3 drops 10; of the rest, 98, drops 90; of the rest, 100, drops none.
    values = [100.0, 100.0, 100.0, 100.0, 90.0, 10.0]

    assert baseline_of(values, lower=-0.05, upper=math.inf) == (100.0, [100.0] * 4)
    (row,) = baseline([("a", 1.0, values, 1)])
    assert row == {
        "label": "a", "count": 6, "used": 4, "baseline": 100.0, "lowest": -0.9, "violations": 2, "missing": 1
    }  # fmt: skip


def test_a_case_of_which_nothing_is_known_is_a_row_of_missing_tests() -> None:
    (row,) = baseline([("a", 1.0, [], 2)])

    assert (row["baseline"], row["used"], row["missing"]) == (None, 0, 2)


@given(SPEEDS, st.floats(0.01, 0.5))
def test_no_value_that_a_baseline_is_of_violates_it(values: list[float], share: float) -> None:
    found, used = baseline_of(values, lower=-share, upper=math.inf)

    assert found == pytest.approx(fmean(used))
    assert [one for one in used if violates(one, found, lower=-share, upper=math.inf)] == []
    assert min(values) <= found * (1 + 1e-12)
    assert found <= max(values) * (1 + 1e-12)
