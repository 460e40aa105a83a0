"""The noise between trials, over all cases.

Three trials of one case give an uncertain variance. So the variance of each case is moved towards the typical variance
of all cases, further if their variances are similar. This is the moderated t-test (Smyth 2004, Statistical
Applications in Genetics and Molecular Biology 3(1), sections 3 and 6.2).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

# From here on the asymptotic series are exact to 12 digits.
_ASYMPTOTIC_FROM = 12.0
# Logs print few digits: less than 0.01 % between trials is not measured.
LEAST_VARIANCE = 1e-8
# Fewer cases do not tell how alike their noise is.
_LEAST_CASES = 3
# However alike the cases look, an outlier in one of them must not be judged by the quiet of the others.
_MOST_DF = 30.0


def digamma(x: float) -> float:
    """Returns the derivative of the logarithm of the gamma function, for x > 0."""
    below = 0.0
    while x < _ASYMPTOTIC_FROM:
        below += 1 / x
        x += 1
    y = 1 / (x * x)
    return math.log(x) - 0.5 / x - y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y / 240))) - below


def trigamma(x: float) -> float:
    """Returns the derivative of digamma, for x > 0."""
    below = 0.0
    while x < _ASYMPTOTIC_FROM:
        below += 1 / (x * x)
        x += 1
    y = 1 / (x * x)
    return 1 / x + y / 2 + y / x * (1 / 6 - y * (1 / 30 - y * (1 / 42 - y / 30))) + below


def inverse_trigamma(value: float) -> float:
    low, high = 1e-8, 1e8
    for _ in range(120):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if trigamma(middle) > value else (low, middle)
    return math.sqrt(low * high)


@dataclass(frozen=True)
class Noise:
    """The typical variance between trials, and for how many trials of each case it counts; df 0: not known."""

    variance: float = 0.0
    df: float = 0.0

    def with_own(self, squares: float, df: float) -> tuple[float, float]:
        """Returns variance and degrees of freedom of a case with this sum of squares over `df` of its own."""
        total = self.df + df
        if total <= 0:
            return math.nan, 0.0
        return max((self.df * self.variance + squares) / total, LEAST_VARIANCE), total


def fit_noise(cases: Sequence[tuple[float, float]]) -> Noise:
    """Returns the noise that cases share, from the sum of squares and the degrees of freedom of each."""
    known = [(max(squares / df, LEAST_VARIANCE), df) for squares, df in cases if df > 0]
    if len(known) < _LEAST_CASES:
        return Noise()
    logs = [math.log(variance) - digamma(df / 2) + math.log(df / 2) for variance, df in known]
    mean = math.fsum(logs) / len(logs)
    spread = math.fsum((one - mean) ** 2 for one in logs) / (len(logs) - 1)
    beyond_chance = spread - math.fsum(trigamma(df / 2) for _, df in known) / len(known)
    most = min(_MOST_DF, math.fsum(df for _, df in known) / 2)
    df = min(2 * inverse_trigamma(beyond_chance), most) if beyond_chance > 0 else most
    return Noise(math.exp(mean + digamma(df / 2) - math.log(df / 2)), df)
