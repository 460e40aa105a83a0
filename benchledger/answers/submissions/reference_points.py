"""Whether a submission converged no faster than the reference, as mlcommons/logging tells it.

The lines named here are those of mlperf_logging/rcp_checker/rcp_checker.py at e6ba2a93. A reference convergence point
is what the reference's own runs took to the target, in epochs or samples, at one global batch size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import pstdev

from benchledger.answers.submissions.scores import olympic, reached
from benchledger.answers.submissions.student_t import below
from benchledger.definitions.submissions import Demand

# A mean is too fast where chance gives it less often than this (line 196), searched to a ten-thousandth (line 197).
ALPHA = 0.05
TOLERANCE = 0.0001


@dataclass(frozen=True)
class Point:
    """A reference convergence point: of its batch size the mean, its spread, and the least mean that passes."""

    batch_size: float
    mean: float
    stdev: float
    counted: int
    least: float
    between: tuple[float, float] | None = None


@dataclass(frozen=True)
class Verdict:
    """`passed` is None where it cannot be told. `p`: how often chance gives so low a mean; `factor`: what the score is
    multiplied by.
    """

    passed: bool | None
    reason: str
    mean: float | None = None
    point: Point | None = None
    p: float | None = None
    factor: float | None = None


def point_of(batch_size: float, numbers: Sequence[float], demand: Demand) -> Point | None:
    """The point of a reference's runs (lines 296-311); None of too few runs to leave the extremes out.

    The mean is without the extremes, the standard deviation is of all runs and divided by their number.
    """
    mean = olympic(numbers, demand.left_out)
    if mean is None:
        return None
    return _point(batch_size, mean, pstdev(numbers), len(numbers) - 2 * demand.left_out, demand)


def between(low: Point, high: Point, batch_size: float, demand: Demand) -> Point:
    """The point of a batch size between those of two others, on the straight line (lines 424-457)."""
    width = high.batch_size - low.batch_size
    part = (batch_size - low.batch_size) / width if width else 1.0
    mean = low.mean + part * (high.mean - low.mean)
    stdev = low.stdev + part * (high.stdev - low.stdev)
    return _point(batch_size, mean, stdev, 2 * demand.runs, demand, (low.batch_size, high.batch_size))


def pruned(points: Sequence[Point], demand: Demand) -> list[Point]:
    """The points without those that are slower than others show to be needed (lines 255-294).

    Nothing below the batch size of the fastest; then no point that is slower than the line between its neighbours.
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


def chance_of(mean: float, point: Point, demand: Demand) -> float | None:
    """The one-sided p of a submission's mean against a point: a t test with equal variances (lines 377-395).

    The submission is taken to spread as the reference does; None where that does not spread at all, or too few count.
    """
    return _chance(mean, point.mean, point.stdev, point.counted, demand.runs - 2)


def judge(points: Sequence[Point], batch_size: float, numbers: Sequence[float | None], demand: Demand) -> Verdict:
    """Whether runs that took `numbers` to the target (None: never reached) pass (lines 459-501 and check_directory)."""
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
    # Faster than the smallest point: at a smaller batch size that may be right.
    return Verdict(None, f"no reference point at or below batch size {batch_size:g}", mean, found.point, found.p)


def _against(point: Point, mean: float, demand: Demand, reason: str) -> Verdict:
    passed = mean >= point.least
    factor = max(1.0, point.mean / mean) if mean > 0 else None
    why = reason if passed else "faster than chance allows"
    return Verdict(passed, why, mean, point, chance_of(mean, point, demand), factor if passed else None)


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
    """The least mean that chance explains, by bisection between 0 and the reference's mean (lines 397-422).

    The owner's call passes the two counts swapped; as both sides have one standard deviation, that changes nothing.
    """
    low, high = 0.0, mean
    if _chance(0.0, mean, stdev, reference, submitted) is None:
        return mean
    # A mean so large that floats lie further apart than the tolerance ends where nothing lies between.
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
    return below((mean - expected) / (stdev * sqrt(1 / reference + 1 / submitted)), degrees)
