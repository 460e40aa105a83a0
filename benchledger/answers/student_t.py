"""Student's t in plain Python: the engine imports no scipy."""

from __future__ import annotations

import math
from functools import lru_cache

_TINY = 1e-300
_LARGE_DF = 1e6


def t_two_sided(t: float, df: float) -> float:
    """Returns the probability that Student's t with `df` degrees of freedom is at least |t| away from 0."""
    if df >= _LARGE_DF:
        return math.erfc(abs(t) / math.sqrt(2))
    square = t * t
    if square < df:
        # Near 0 the other formula loses half of its digits.
        return 1 - _incomplete_beta(0.5, df / 2, square / (df + square))
    return _incomplete_beta(df / 2, 0.5, df / (df + square))


def t_below(t: float, df: float) -> float:
    """Returns the probability that Student's t is below `t`."""
    beyond = t_two_sided(t, df) / 2
    return beyond if t < 0 else 1 - beyond


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
