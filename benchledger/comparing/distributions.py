"""Student's t in plain Python (the engine imports no scipy), and the noise between trials.

Three trials of one case give an uncertain variance. So the variance of each case is moved towards the typical variance
of all cases, further if their variances are similar. This is the moderated t-test (Smyth 2004, Statistical
Applications in Genetics and Molecular Biology 3(1), sections 3 and 6.2).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

_TINY = 1e-300
_LARGE_DF = 1e6
# From here on the asymptotic series are exact to 12 digits.
_ASYMPTOTIC_FROM = 12.0
# Logs print few digits: less than 0.01 % between trials is not measured.
LEAST_VARIANCE = 1e-8
# Fewer cases do not tell how alike their noise is.
_LEAST_CASES = 3
# However alike the cases look, an outlier in one of them must not be judged by the quiet of the others.
_MOST_DF = 30.0


def t_two_sided(t: float, df: float) -> float:
    """Returns the probability that Student's t with `df` degrees of freedom is at least |t| away from 0."""
    if df >= _LARGE_DF:
        return math.erfc(abs(t) / math.sqrt(2))
    return _incomplete_beta(df / 2, 0.5, df / (df + t * t))


@lru_cache(maxsize=4096)
def t_quantile(two_sided: float, df: float) -> float:
    """Returns the t that Student's t exceeds in absolute value with probability `two_sided`."""
    high = 1.0
    while t_two_sided(high, df) > two_sided:
        high *= 2
    low = 0.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if t_two_sided(middle, df) > two_sided else (low, middle)
    return (low + high) / 2


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


def _incomplete_beta(a: float, b: float, x: float) -> float:
    # The regularized incomplete beta function by Lentz's continued fraction (Numerical Recipes, section 6.4).
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    if x < (a + 1) / (a + b + 2):
        return math.exp(log_front) * _fraction(a, b, x) / a
    return 1 - math.exp(log_front) * _fraction(b, a, 1 - x) / b


def _fraction(a: float, b: float, x: float) -> float:
    c, d = 1.0, 1 / _nonzero(1 - (a + b) * x / (a + 1))
    result = d
    for m in range(1, 500):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / _nonzero(1 + numerator * d)
            c = _nonzero(1 + numerator / c)
            result *= c * d
        if abs(c * d - 1) < 1e-13:
            break
    return result


def _nonzero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY


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
