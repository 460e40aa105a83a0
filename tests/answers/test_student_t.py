"""Student's t beside the finite sums that whole degrees of freedom have (Abramowitz and Stegun, 26.7.3 and 26.7.4).

They share no formula with the continued fraction. scipy is no oracle: at t = 1e-8 it is 2e-9 away from 1/2 + atan(t)/pi.
"""

from __future__ import annotations

from math import atan, cos, inf, pi, sin, sqrt

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from benchledger.answers.student_t import t_below


def t_below_by_sum(t: float, degrees: int) -> float:
    angle = atan(t / sqrt(degrees))
    odd = degrees % 2
    total, term = 0.0, cos(angle) if odd else 1.0
    for k in range(2 + odd, degrees + 1, 2):
        total += term
        term *= cos(angle) ** 2 * (k - 1) / k
    within = 2 / pi * (angle + sin(angle) * total) if odd else sin(angle) * total
    return (1 + within) / 2


@settings(deadline=None)
@given(st.floats(-200, 200), st.integers(1, 80))
@example(1e-8, 1)
def test_the_continued_fraction_is_the_distribution(t: float, degrees: int) -> None:
    assert t_below(t, degrees) == pytest.approx(t_below_by_sum(t, degrees), abs=1e-12)


@pytest.mark.parametrize(
    ("t", "degrees", "chance"),
    [(0.0, 7, 0.5), (1.0, 1, 0.75), (-1.0, 1, 0.25), (-1.7458836762762506, 16, 0.05), (inf, 3, 1.0), (-inf, 3, 0.0)],
)
def test_tabled_chances(t: float, degrees: int, chance: float) -> None:
    assert t_below(t, degrees) == pytest.approx(chance, abs=1e-14)
    assert t_below_by_sum(t, degrees) == pytest.approx(chance, abs=1e-14)
