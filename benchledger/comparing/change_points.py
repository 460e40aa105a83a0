"""Finds the steps in series of measurements: least squares over segments, in which a single outlier has a bounded cost.

The segments are those of least cost (optimal partitioning; the bounded cost is that of Fearnhead and Rigaill 2019,
Journal of the American Statistical Association 114). Each step must then pass the moderated t-test of `pair_test.py`:
its noise is that of all series together, as short histories do not show their own.
"""

from __future__ import annotations

import math
import statistics
from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import mul

from benchledger.answers.student_t import t_quantile, t_two_sided
from benchledger.comparing.distributions import LEAST_VARIANCE, Noise, fit_noise

# The rate of false steps over all series (Benjamini-Hochberg); a step's chance is that over all places in its series.
FALSE_DISCOVERY_RATE = 0.005
# An outlier costs no more than this many squared deviations, and a step costs this many for each doubling of points.
_BOUND, _PENALTY = 9.0, 3.0
# Of quiet series, what is this small beside the smallest step that counts is no outlier and begins no level.
_FINEST = 0.25
# The spread of a normal distribution over the median of the absolute differences of two draws.
_SPREAD = 1 / (0.6745 * math.sqrt(2))
# How many differences of its own a series needs to count as much as all series together.
_OWN = 8


@dataclass(frozen=True)
class Step:
    """A step: the first point after it, means of the logarithms before and after, probability of chance, interval."""

    at: int
    before: float
    after: float
    chance: float
    half_width: float


@dataclass(frozen=True)
class Found:
    """The steps of a series, in their order, and its points that lie far from the level around them."""

    steps: tuple[Step, ...]
    outliers: tuple[int, ...]


@dataclass(frozen=True)
class _Segment:
    start: int
    stop: int
    values: tuple[float, ...]

    @property
    def mean(self) -> float:
        return math.fsum(self.values) / len(self.values)

    @property
    def squares(self) -> float:
        return math.fsum((value - self.mean) ** 2 for value in self.values)


def find_steps(
    series: Sequence[Sequence[float]], least: float, trials: Sequence[Noise | None] | None = None
) -> list[Found]:
    """Returns the steps of each series of logarithms; `least` is the smallest step that counts, in logarithms.

    `trials` is the noise of a point of each series by its trials alone, where known. Points vary at least that much;
    where fewer than three series show how points vary, it is all that is known.
    """
    alone = [one or Noise() for one in trials or [None] * len(series)]
    floor = max(least * _FINEST, math.sqrt(LEAST_VARIANCE))
    spreads = _spreads(series, [max(math.sqrt(one.variance), floor) for one in alone])
    parts = [_segments(values, spread) for values, spread in zip(series, spreads, strict=True)]
    joined, most = parts, FALSE_DISCOVERY_RATE
    # Twice: steps that fail are noise, and the noise decides which steps fail.
    for _ in range(2):
        shared = fit_noise([_noise_of(of_one) for of_one in joined])
        noises = [shared if shared.df > 0 else one for one in alone]
        tested = [
            _tested(values, of_one, spread, (noise, one.variance), (most, least))
            for values, of_one, spread, noise, one in zip(series, parts, spreads, noises, alone, strict=True)
        ]
        joined = [segments for segments, _ in tested]
        most = _most_chance([steps for _, steps in tested])
    return [
        Found(tuple(steps), tuple(_outliers(values, segments, spread, least)))
        for values, (segments, steps), spread in zip(series, tested, spreads, strict=True)
    ]


def _most_chance(found: Sequence[Sequence[Step]]) -> float:
    """Returns the highest chance at which steps keep the false-discovery rate; a series without one is a test, too."""
    chances = sorted(step.chance for steps in found for step in steps)
    tests = sum(max(len(steps), 1) for steps in found)
    kept = [rank for rank, chance in enumerate(chances, 1) if chance <= FALSE_DISCOVERY_RATE * rank / tests]
    return FALSE_DISCOVERY_RATE * max([1, *kept]) / max(tests, 1)


def _spreads(series: Sequence[Sequence[float]], floors: Sequence[float]) -> list[float]:
    differences = [[abs(b - a) for a, b in pairwise(values)] for values in series]
    every = [value for of_one in differences for value in of_one]
    typical = statistics.median(every) * _SPREAD if every else 0.0
    spreads = []
    for of_one, floor in zip(differences, floors, strict=True):
        own = statistics.median(of_one) * _SPREAD if of_one else 0.0
        logs = len(of_one) * math.log(max(own, floor)) + _OWN * math.log(max(typical, floor))
        spreads.append(math.exp(logs / (len(of_one) + _OWN)))
    return spreads


def _segments(values: Sequence[float], spread: float) -> list[_Segment]:
    # Around 0, so that sums of squares lose no digits.
    middle = statistics.median(values)
    centred = [value - middle for value in values]
    penalty = _PENALTY * math.log2(max(len(values), 2)) * spread**2
    best = [-penalty]
    came_from = [0]
    for stop in range(1, len(values) + 1):
        ordered: list[float] = []
        least, least_start = math.inf, 0
        for start in range(stop - 1, -1, -1):
            insort(ordered, centred[start])
            cost = best[start] + _cost(ordered, spread) + penalty
            if cost < least:
                least, least_start = cost, start
        best.append(least)
        came_from.append(least_start)
    cuts = [len(values)]
    while cuts[-1] > 0:
        cuts.append(came_from[cuts[-1]])
    cuts.reverse()
    return [_segment(values, start, stop, spread) for start, stop in pairwise(cuts)]


def _cost(ordered: list[float], spread: float) -> float:
    """Returns the squared deviations of the values near the median, and the bound for each other one."""
    bound = math.sqrt(_BOUND) * spread
    middle = len(ordered) // 2
    median = ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
    near = ordered[bisect_left(ordered, median - bound) : bisect_right(ordered, median + bound)]
    if not near:
        return len(ordered) * bound**2
    total, squares = sum(near), sum(map(mul, near, near))
    return float(max(squares - total * total / len(near), 0.0) + (len(ordered) - len(near)) * bound**2)


def _segment(values: Sequence[float], start: int, stop: int, spread: float) -> _Segment:
    own = values[start:stop]
    median = statistics.median(own)
    near = tuple(value for value in own if (value - median) ** 2 <= _BOUND * spread**2)
    return _Segment(start, stop, near or tuple(own))


def _noise_of(segments: Sequence[_Segment]) -> tuple[float, float]:
    return math.fsum(one.squares for one in segments), sum(len(one.values) - 1.0 for one in segments)


def _tested(
    values: Sequence[float],
    segments: list[_Segment],
    spread: float,
    noise: tuple[Noise, float],
    limits: tuple[float, float],
) -> tuple[list[_Segment], list[Step]]:
    """Joins segments until every step between them is large and certain."""
    (shared, least_variance), (most_chance, least) = noise, limits
    places = max(len(values) - 1, 1)
    while True:
        variance, df = shared.with_own(*_noise_of(segments))
        variance = max(variance, least_variance)
        steps = [_step(*pair, variance, df, places) for pair in pairwise(segments)]
        weak = [one for one in steps if one.chance > most_chance or abs(one.after - one.before) < least]
        if not weak:
            return segments, steps
        number = steps.index(max(weak, key=lambda one: (one.chance, -abs(one.after - one.before))))
        joined = _segment(values, segments[number].start, segments[number + 1].stop, spread)
        segments = [*segments[:number], joined, *segments[number + 2 :]]


def _step(a: _Segment, b: _Segment, variance: float, df: float, places: int) -> Step:
    if df <= 0 or not math.isfinite(variance):
        return Step(b.start, a.mean, b.mean, 1.0, math.inf)
    error = math.sqrt(variance * (1 / len(a.values) + 1 / len(b.values)))
    chance = min(t_two_sided((b.mean - a.mean) / error, df) * places, 1.0)
    return Step(b.start, a.mean, b.mean, chance, t_quantile(0.05, round(df, 1)) * error)


def _outliers(values: Sequence[float], segments: Sequence[_Segment], spread: float, least: float) -> list[int]:
    outliers = []
    far_from = max(math.sqrt(2 * _BOUND) * spread, least)
    for one in segments:
        far = [number for number in range(one.start, one.stop) if abs(values[number] - one.mean) > far_from]
        # Where many points are far, there is no level.
        outliers += far if 3 * len(far) <= one.stop - one.start else []
    return outliers
