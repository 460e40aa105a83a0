"""The noise between trials: what three trials of one case cannot tell, the other cases of the comparison can.

The variance of a case is drawn towards the typical one of all cases, the more the more alike these are: the moderated
t-test (Smyth 2004, Statistical Applications in Genetics and Molecular Biology 3(1), sections 3 and 6.2).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from benchledger.comparing.distributions import digamma, inverse_trigamma, trigamma

# Logs print few digits: less than 0.01 % between trials is not measured.
LEAST_VARIANCE = 1e-8
# Fewer cases do not tell how alike their noise is.
_LEAST_CASES = 3
# However alike the cases look, an outlier in one of them must not be judged by the quiet of the others.
_MOST_DF = 30.0


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
