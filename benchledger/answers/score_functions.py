"""The arithmetic of scores: pure functions of lists of numbers, by the names used in queries/scores/."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import fmean, stdev

Row = dict[str, float | int | str | None]
# A case's label, weight, values of the runs that count, and number of failed runs.
Measured = tuple[str, float, Sequence[float], int]


def quantile(values: Sequence[float], share: float) -> float:
    """Returns a quantile with linear interpolation, as numpy and pandas do by default."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def benchmark_score(per_gpu: Sequence[float], runs: int, failures: int) -> float:
    """Returns milabench's score of one benchmark: sum of the GPUs' mean rates x share of successful runs."""
    return math.fsum(per_gpu) * (1 - failures / max(runs, 1))


def overall_score(scores: Sequence[float], weights: Sequence[float]) -> float | None:
    """Returns milabench's overall score: the weighted geometric mean of (score + 1); None if all weights are 0."""
    total = math.fsum(weights)
    if total == 0:
        return None
    return math.exp(math.fsum(w * math.log(s + 1) for s, w in zip(scores, weights, strict=True)) / total)


def milabench_score(cases: Sequence[Measured]) -> list[Row]:
    """Returns one row per case, and one for all, in which a case without a number counts as 0."""
    rows: list[Row] = []
    for label, weight, values, failures in cases:
        runs = len(values) + failures
        mean = fmean(values) if values else None
        score = benchmark_score([mean or 0.0], runs, failures)
        rows.append({"label": label, "n": runs, "fail": failures, "perf": mean, "weight": weight, "score": score})
    weights = [weight for _, weight, _, _ in cases]
    overall = overall_score([float(row["score"] or 0) for row in rows], weights)
    runs, failures = (sum(int(row[name] or 0) for row in rows) for name in ("n", "fail"))
    together: Row = {"label": "all", "n": runs, "fail": failures, "perf": None, "weight": math.fsum(weights)}
    return [*rows, {**together, "score": overall}]


def summary(cases: Sequence[Measured]) -> list[Row]:
    """Returns SuperBench's statistics: count, extremes, mean, percentiles, and sample standard deviation (n - 1)."""
    rows: list[Row] = []
    for label, _, values, _ in cases:
        if values:
            row: Row = {"label": label, "count": len(values), "max": max(values), "mean": fmean(values)}
            row["min"] = min(values)
            for percent in (1, 5, 10, 25, 50, 75, 90, 95, 99):
                row[f"p{percent}"] = quantile(values, percent / 100)
            rows.append({**row, "std": stdev(values) if len(values) > 1 else None})
    return rows


def fences(cases: Sequence[Measured], *, mild: float = 1.5, extreme: float = 3.0) -> list[Row]:
    """Returns SuperBench's outlier bounds: quartiles widened by multiples of their range; also relative to the mean."""
    rows: list[Row] = []
    for label, _, values, _ in cases:
        if not values:
            continue
        mean, low, high = fmean(values), quantile(values, 0.25), quantile(values, 0.75)
        row: Row = {"label": label, "count": len(values), "mean": mean}
        for name, times in (("mild", mild), ("extreme", extreme)):
            for end, fence in (("lower", low - times * (high - low)), ("upper", high + times * (high - low))):
                row[f"{name}_{end}"] = fence
                row[f"{name}_{end}_bound"] = (fence - mean) / mean if mean else None
        rows.append(row)
    return rows


def variance(value: float, baseline: float) -> float:
    return (value - baseline) / baseline


def violates(value: float, baseline: float, *, lower: float, upper: float) -> bool:
    """Tells whether a value violates SuperBench's bounds: its relative difference is below `lower` or above `upper`."""
    return not lower <= variance(value, baseline) <= upper


def baseline_of(values: Sequence[float], *, lower: float, upper: float) -> tuple[float, list[float]]:
    """Returns SuperBench's baseline and its values: the mean, recomputed without violators until there are none."""
    left = list(values)
    while True:
        mean = fmean(left)
        kept = [one for one in left if mean == 0 or not violates(one, mean, lower=lower, upper=upper)]
        # If all values violate, the last mean that had values stays.
        if len(kept) == len(left) or not kept:
            return mean, left
        left = kept


def baseline(cases: Sequence[Measured], *, lower: float = -0.05, upper: float = math.inf) -> list[Row]:
    """Returns SuperBench's baseline per case, its number of values, and how many runs violate it or have no value."""
    rows: list[Row] = []
    for label, _, values, missing in cases:
        row: Row = {"label": label, "count": len(values), "used": 0, "baseline": None, "lowest": None}
        row |= {"violations": 0, "missing": missing}
        if values:
            mean, used = baseline_of(values, lower=lower, upper=upper)
            row |= {"used": len(used), "baseline": mean}
            if mean:
                row["lowest"] = variance(min(values), mean)
                row["violations"] = sum(violates(one, mean, lower=lower, upper=upper) for one in values)
        rows.append(row)
    return rows


FUNCTIONS: dict[str, Callable[..., list[Row]]] = {
    "milabench_score": milabench_score,
    "summary": summary,
    "fences": fences,
    "baseline": baseline,
}
