"""Student's t beside scipy's.

scipy takes seconds to import and every process of a test run collects this file, so only the test that asks it does.
"""

from __future__ import annotations

from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchledger.answers.student_t import t_below


@settings(deadline=None)
@given(st.floats(-200, 200), st.integers(1, 80))
def test_the_continued_fraction_is_the_distribution(t: float, degrees: int) -> None:
    scipy_stats = pytest.importorskip("scipy.stats")
    # Near 0 scipy itself is a few 1e-13 off 1/2 + atan(t) / pi, which is the distribution of one degree.
    assert t_below(t, degrees) == pytest.approx(scipy_stats.t.cdf(t, degrees), abs=1e-12)


@pytest.mark.parametrize(
    ("t", "degrees", "chance"),
    [(0.0, 7, 0.5), (1.0, 1, 0.75), (-1.0, 1, 0.25), (-1.7458836762762506, 16, 0.05), (inf, 3, 1.0), (-inf, 3, 0.0)],
)
def test_tabled_chances(t: float, degrees: int, chance: float) -> None:
    assert t_below(t, degrees) == pytest.approx(chance, abs=1e-14)
