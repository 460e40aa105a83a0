"""Tells whether a submission converged faster than the reference allows, as mlcommons/logging does.

Line numbers here are those of mlperf_logging/rcp_checker/rcp_checker.py at e6ba2a93. A reference convergence point
states how much the reference's own runs took to reach the target, in epochs or samples, at one global batch size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import pstdev

from benchledger.answers.student_t import t_below
from benchledger.definitions.submissions import Demand
from benchledger.mlperf.scores import olympic, reached

# A mean is too fast if chance gives one so low less often than ALPHA (line 196). It is searched to TOLERANCE (line
# 197).
ALPHA = 0.05
TOLERANCE = 0.0001


@dataclass(frozen=True)
class Point:
    """A reference convergence point: batch size, mean, standard deviation, and the least mean that passes."""

    batch_size: float
    mean: float
    stdev: float
    counted: int
    least: float
    between: tuple[float, float] | None = None


@dataclass(frozen=True)
class Verdict:
    """The verdict on a submission; `passed` is None if unknown.

    `p` is the chance of so low a mean; `factor` multiplies the score.
    """

    passed: bool | None
    reason: str
    mean: float | None = None
    point: Point | None = None
    p: float | None = None
    factor: float | None = None


def point_of(batch_size: float, numbers: Sequence[float], demand: Demand) -> Point | None:
    """Returns the point of a reference's runs (lines 296-311); None if too few runs are left without the extremes.

    The mean leaves out the extremes; the standard deviation is that of the population of all runs.
    """
    mean = olympic(numbers, demand.left_out)
    if mean is None:
        return None
    return _point(batch_size, mean, pstdev(numbers), len(numbers) - 2 * demand.left_out, demand)


def between(low: Point, high: Point, batch_size: float, demand: Demand) -> Point:
    """Returns the point of a batch size between two others, by linear interpolation (lines 424-457)."""
    width = high.batch_size - low.batch_size
    part = (batch_size - low.batch_size) / width if width else 1.0
    mean = low.mean + part * (high.mean - low.mean)
    stdev = low.stdev + part * (high.stdev - low.stdev)
    return _point(batch_size, mean, stdev, 2 * demand.runs, demand, (low.batch_size, high.batch_size))


def pruned(points: Sequence[Point], demand: Demand) -> list[Point]:
    """Drops points that are slower than others show to be necessary (lines 255-294).

    Drops batch sizes below that of the fastest point, then each point slower than the line between its neighbours.
    """
    ordered = sorted(points, key=lambda point: point.batch_size)
    fastest = min(ordered, key=lambda point: point.mean, default=None)
    kept = [point for point in ordered if fastest is not None and point.batch_size >= fastest.batch_size]
    place = 1
    while place < len(kept) - 1:
        if kept[place].mean > between(kept[place - 1], kept[place + 1], kept[place].batch_size, demand).mean:
            del kept[place]
        else:
            place += 1
    return kept


def p_value(mean: float, point: Point, demand: Demand) -> float | None:
    """Returns the one-sided p of a submission's mean: a t test with equal variances (lines 377-395).

    The submission is assumed to have the reference's standard deviation. None if that is 0, or if too few runs count.
    """
    return _chance(mean, point.mean, point.stdev, point.counted, demand.runs - 2)


def judge(points: Sequence[Point], batch_size: float, numbers: Sequence[float | None], demand: Demand) -> Verdict:
    """Judges runs that took `numbers` to the target; None stands for a run that never reached it.

    Source: lines 459-501 and check_directory.
    """
    missing = sum(1 for number in numbers if number is None)
    if missing > demand.left_out:
        return Verdict(False, f"{missing} runs did not converge, of which at most {demand.left_out} may")
    mean = reached(numbers, demand.left_out)
    if mean is None:
        return Verdict(None, f"too few runs: {len(numbers)}, of which {2 * demand.left_out} do not count")
    if not points:
        return Verdict(None, "no reference point", mean)
    ordered = sorted(points, key=lambda point: point.batch_size)
    same = next((point for point in ordered if point.batch_size == batch_size), None)
    lower = [point for point in ordered if point.batch_size < batch_size]
    higher = [point for point in ordered if point.batch_size > batch_size]
    if same is not None:
        return _against(same, mean, demand, "")
    if lower and higher:
        return _against(between(lower[-1], higher[0], batch_size, demand), mean, demand, "")
    if lower:
        return Verdict(None, f"no reference point at or above batch size {batch_size:g}", mean)
    found = _against(higher[0], mean, demand, "slower than the reference at a larger batch size")
    if found.passed:
        return found
    # Faster than the point of the smallest batch size, which is possible at a smaller batch size.
    return Verdict(None, f"no reference point at or below batch size {batch_size:g}", mean, found.point, found.p)


def _against(point: Point, mean: float, demand: Demand, reason: str) -> Verdict:
    passed = mean >= point.least
    factor = max(1.0, point.mean / mean) if mean > 0 else None
    why = reason if passed else "faster than chance allows"
    return Verdict(passed, why, mean, point, p_value(mean, point, demand), factor if passed else None)


def _point(
    batch_size: float,
    mean: float,
    stdev: float,
    counted: int,
    demand: Demand,
    neighbours: tuple[float, float] | None = None,
) -> Point:
    return Point(batch_size, mean, stdev, counted, least_mean(mean, stdev, counted, demand.runs - 2), neighbours)


def least_mean(mean: float, stdev: float, reference: int, submitted: int) -> float:
    """Returns the least mean that chance explains, by bisection between 0 and the reference's mean (lines 397-422).

    The original swaps the two counts in its call, which changes nothing, since both sides have the same deviation.
    """
    low, high = 0.0, mean
    if _chance(0.0, mean, stdev, reference, submitted) is None:
        return mean
    # For a huge mean, adjacent floats differ by more than the tolerance: the search ends when none lies between.
    while high - low > TOLERANCE and low < (low + high) / 2 < high:
        middle = (low + high) / 2
        chance = _chance(middle, mean, stdev, reference, submitted)
        if chance is not None and chance > ALPHA:
            high = middle
        else:
            low = middle
    return (low + high) / 2


def _chance(mean: float, expected: float, stdev: float, reference: int, submitted: int) -> float | None:
    degrees = reference + submitted - 2
    if stdev <= 0 or min(reference, submitted, degrees) < 1:
        return None
    return t_below((mean - expected) / (stdev * sqrt(1 / reference + 1 / submitted)), degrees)
