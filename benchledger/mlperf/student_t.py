"""Student's t distribution for an integer number of degrees of freedom, by its finite sums."""

from __future__ import annotations

from math import atan, cos, isinf, pi, sin, sqrt


def below(t: float, degrees: int) -> float:
    """Returns the probability that Student's t is below `t` (Abramowitz and Stegun, 26.7.3 and 26.7.4)."""
    if isinf(t):
        return 1.0 if t > 0 else 0.0
    return min(max((1 + _between(t, degrees)) / 2, 0.0), 1.0)


def _between(t: float, degrees: int) -> float:
    """Returns the probability that t lies between -t and t, with the sign of t."""
    angle = atan(t / sqrt(degrees))
    if degrees == 1:
        return 2 * angle / pi
    odd = degrees % 2
    term = cos(angle) if odd else 1.0
    whole = term
    # 1 + 1/2 cos^2 + 1/2 3/4 cos^4 ... for even degrees; cos + 2/3 cos^3 + 2/3 4/5 cos^5 ... for odd ones.
    for below_it in range(1 + odd, degrees - 2, 2):
        term *= below_it / (below_it + 1) * cos(angle) ** 2
        whole += term
    return 2 / pi * (angle + sin(angle) * whole) if odd else sin(angle) * whole
