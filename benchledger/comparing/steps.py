"""The uncertainty of one trial from its own steps: a bootstrap over blocks of steps, since neighbours are alike."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

_RESAMPLES = 1000
_LEAST_STEPS = 10


def steps_variance(speeds: Sequence[float]) -> float | None:
    """Returns the variance of the logarithm of a trial's mean speed, resampled over blocks; None for too few steps.

    A block has as many steps as the square root of their number. The result is the same at every call.
    """
    logs = [math.log(speed) for speed in speeds if speed > 0 and math.isfinite(speed)]
    if len(logs) < _LEAST_STEPS:
        return None
    size = math.isqrt(len(logs))
    blocks = [math.fsum(logs[start : start + size]) / size for start in range(0, len(logs) - size + 1, size)]
    drawn = random.Random(len(blocks))
    means = [math.fsum(drawn.choices(blocks, k=len(blocks))) / len(blocks) for _ in range(_RESAMPLES)]
    middle = math.fsum(means) / len(means)
    # A bootstrap variance is (n-1)/n of the true one.
    inflation = len(blocks) / (len(blocks) - 1)
    return inflation * math.fsum((mean - middle) ** 2 for mean in means) / (len(means) - 1)
