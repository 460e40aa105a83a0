"""Work costs time in proportion to its size: eight times the bytes, about eight times the time, on a busy machine too."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

Input = TypeVar("Input")

# Eight times the time is the aim; the rest is for a busy machine. Quadratic would be 64.
MOST = 24
# Below this a measurement says nothing.
FLOOR_S = 0.004


def assert_in_proportion(
    work: Callable[[Input], object], short: Input, long: Input, *, floor_s: float = FLOOR_S
) -> None:
    """`long` is eight times `short`. No bound in seconds: it would be met or missed by the machine, and what runs beside."""
    ratio = 0.0
    # A busy machine may spoil one measurement, but hardly three.
    for _ in range(3):
        ratio = _seconds(work, long) / max(_seconds(work, short), floor_s)
        if ratio < MOST:
            break
    assert ratio < MOST


def _seconds(work: Callable[[Input], object], given: Input) -> float:
    taken: list[float] = []
    while len(taken) < 3 and sum(taken) < 0.5:
        # Of the processor: other programs may run beside.
        start = time.process_time()
        work(given)
        taken.append(time.process_time() - start)
    return min(taken)
