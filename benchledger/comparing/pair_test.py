"""Judges pairs of cases together: ratio, interval, verdict, and how many more trials an undecided pair needs."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace

from benchledger.answers.student_t import t_quantile, t_two_sided
from benchledger.comparing.distributions import LEAST_VARIANCE, Noise, fit_noise

SAME, MORE, LESS, UNDECIDED = "same", "more", "less", "undecided"
CONFIDENCE = 0.95
# Noise of real trials is no normal one: at 0.7 %, 1 % of comparisons of 40 cases with such noise have a false alarm.
FALSE_DISCOVERY_RATE = 0.007
# Fewer trials a side do not show an outlier, which lies this many spreads away; and the median distance from the mean
# of a normal distribution, in spreads.
_LEAST_FOR_OUTLIER, _FAR, _NORMAL_MEDIAN = 5, 6.0, 0.6745
_LEAST_TRIALS = 3
_MOST_TRIALS = 50


@dataclass(frozen=True)
class Pair:
    """The trials of one case on both sides, all above 0; of a lone trial the variance within it, if known."""

    a: Sequence[float]
    b: Sequence[float]
    steps_a: float | None = None
    steps_b: float | None = None


@dataclass(frozen=True)
class Outcome:
    """B over A with its interval, the probability of chance (alone and among all pairs), and the verdict.

    `interval_from` says what the interval is made of: trials, other_trials (those of other cases or of the other side),
    steps, or None without an interval. `more_trials` is per side; None if decided, or if 50 would not do. `outliers` is
    1 if one trial was left out, because it is far from all others.
    """

    ratio: float
    low: float | None
    high: float | None
    interval_from: str | None
    p: float | None
    q: float | None
    verdict: str
    more_trials: int | None = None
    outliers: int = 0


@dataclass(frozen=True)
class _Estimate:
    change: float
    variance: float
    df: float
    trial_variance: float
    interval_from: str | None


def judge(pairs: Sequence[Pair], threshold: float, rate: float = FALSE_DISCOVERY_RATE) -> list[Outcome]:
    given, pairs = pairs, [without_outlier(pair) for pair in pairs]
    noise = fit_noise([_squares(pair) for pair in pairs])
    estimates = [_estimate(pair, noise) for pair in pairs]
    chances = [t_two_sided(one.change / math.sqrt(one.variance), one.df) if one.df > 0 else None for one in estimates]
    adjusted = adjust(chances)
    tested = sum(chance is not None for chance in chances)
    least = math.log1p(threshold)
    results = []
    for before, pair, one, p, q in zip(given, pairs, estimates, chances, adjusted, strict=True):
        half = _half_width(one)
        verdict = _verdict(one, half, q, least, rate)
        low, high = (None, None) if half is None else (math.exp(one.change - half), math.exp(one.change + half))
        more = None
        if verdict == UNDECIDED:
            more = more_trials(pair, one.change, one.trial_variance, least, rate / max(tested, 1))
        outliers = len(before.a) + len(before.b) - len(pair.a) - len(pair.b)
        results.append(Outcome(math.exp(one.change), low, high, one.interval_from, p, q, verdict, more, outliers))
    return results


def geometric_mean(pairs: Sequence[Pair]) -> tuple[float, float | None, float | None]:
    """Returns the geometric mean of the ratios of pairs, and its interval; None where a pair's noise is not known."""
    pairs = [without_outlier(pair) for pair in pairs]
    noise = fit_noise([_squares(pair) for pair in pairs])
    estimates = [_estimate(pair, noise) for pair in pairs]
    change = math.fsum(one.change for one in estimates) / len(estimates)
    if any(one.df <= 0 for one in estimates):
        return math.exp(change), None, None
    total = math.fsum(one.variance for one in estimates)
    # Welch-Satterthwaite: the degrees of freedom of a sum of variances.
    df = total**2 / math.fsum(one.variance**2 / one.df for one in estimates)
    half = t_quantile(1 - CONFIDENCE, round(df, 1)) * math.sqrt(total) / len(estimates)
    return math.exp(change), math.exp(change - half), math.exp(change + half)


def without_outlier(pair: Pair) -> Pair:
    """Returns the pair without its one far trial, if there are enough to tell; two far trials are no outlier."""
    if min(len(pair.a), len(pair.b)) < _LEAST_FOR_OUTLIER:
        return pair
    sides = [[math.log(value) for value in side] for side in (pair.a, pair.b)]
    middles = [statistics.median(side) for side in sides]
    off = sorted(
        (abs(value - middle), side, number)
        for side, (values, middle) in enumerate(zip(sides, middles, strict=True))
        for number, value in enumerate(values)
    )
    # Without the two medians themselves.
    spread = max(statistics.median(far for far, _, _ in off[2:]) / _NORMAL_MEDIAN, math.sqrt(LEAST_VARIANCE))
    (second, _, _), (first, side, number) = off[-2:]
    if not second <= _FAR * spread < first:
        return pair
    kept = [list(pair.a), list(pair.b)]
    kept[side].pop(number)
    return replace(pair, a=kept[0], b=kept[1])


def adjust(chances: Sequence[float | None]) -> list[float | None]:
    """Returns p-values adjusted for their number: the false-discovery rates (Benjamini-Hochberg) that accept them."""
    order = sorted((p, number) for number, p in enumerate(chances) if p is not None)
    adjusted: list[float | None] = [None] * len(chances)
    lowest = 1.0
    for rank in range(len(order), 0, -1):
        p, number = order[rank - 1]
        lowest = min(lowest, p * len(order) / rank)
        adjusted[number] = lowest
    return adjusted


def more_trials(pair: Pair, change: float, variance: float, least: float, chance: float) -> int | None:
    """Returns how many more trials per side would decide, if ratio and noise stay; None if 50 would not."""
    trials = max(len(pair.a), len(pair.b))
    if math.isnan(variance):
        return max(_LEAST_TRIALS - min(len(pair.a), len(pair.b)), 1)
    for wanted in range(max(trials + 1, _LEAST_TRIALS), _MOST_TRIALS + 1):
        error, df = math.sqrt(2 * variance / wanted), 2.0 * (wanted - 1)
        if abs(change) >= least:
            decided = abs(change) >= t_quantile(chance, df) * error
        else:
            decided = abs(change) + t_quantile(1 - CONFIDENCE, df) * error < least
        if decided:
            return wanted - min(len(pair.a), len(pair.b))
    return None


def _logs(trials: Sequence[float]) -> tuple[float, float]:
    logs = [math.log(value) for value in trials]
    mean = math.fsum(logs) / len(logs)
    return mean, math.fsum((value - mean) ** 2 for value in logs)


def _squares(pair: Pair) -> tuple[float, float]:
    return _logs(pair.a)[1] + _logs(pair.b)[1], len(pair.a) + len(pair.b) - 2.0


def _estimate(pair: Pair, noise: Noise) -> _Estimate:
    (mean_a, squares_a), (mean_b, squares_b) = _logs(pair.a), _logs(pair.b)
    trials_a, trials_b = len(pair.a), len(pair.b)
    variance, df = noise.with_own(squares_a + squares_b, trials_a + trials_b - 2.0)
    change = mean_b - mean_a
    if df <= 0:
        # One trial on each side and no other case: nothing says how far two trials lie apart.
        if pair.steps_a is None or pair.steps_b is None:
            return _Estimate(change, math.nan, 0.0, math.nan, None)
        return _Estimate(change, max(pair.steps_a + pair.steps_b, LEAST_VARIANCE), 0.0, math.nan, "steps")
    if trials_a > 1 and trials_b > 1 and trials_a != trials_b:
        # Welch: with unequal numbers, a noisy side of few trials must not be judged by a quiet one of many.
        variance_a, df_a = noise.with_own(squares_a, trials_a - 1.0)
        variance_b, df_b = noise.with_own(squares_b, trials_b - 1.0)
        part_a, part_b = variance_a / trials_a, variance_b / trials_b
        df = (part_a + part_b) ** 2 / (part_a**2 / df_a + part_b**2 / df_b)
        return _Estimate(change, part_a + part_b, df, max(variance_a, variance_b), "trials")
    part_a, part_b = (
        max(variance, steps or 0.0) if trials == 1 else variance / trials
        for trials, steps in ((trials_a, pair.steps_a), (trials_b, pair.steps_b))
    )
    is_own = trials_a > 1 and trials_b > 1
    return _Estimate(change, part_a + part_b, df, variance, "trials" if is_own else "other_trials")


def _half_width(one: _Estimate) -> float | None:
    if one.interval_from is None:
        return None
    # The steps of one trial are many: their mean is as good as normal.
    quantile = t_quantile(1 - CONFIDENCE, round(one.df, 1) if one.df > 0 else math.inf)
    return quantile * math.sqrt(one.variance)


def _verdict(one: _Estimate, half: float | None, q: float | None, least: float, rate: float) -> str:
    if half is None or q is None:
        return UNDECIDED
    if q <= rate and abs(one.change) >= least:
        return MORE if one.change > 0 else LESS
    return SAME if abs(one.change) + half < least else UNDECIDED
