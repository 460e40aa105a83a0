"""Work costs time in proportion to its size: eight times the bytes, about eight times the time, on a busy machine too."""

from __future__ import annotations

import gc
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
    # The best of three, since too long a time would let the other one pass.
    most = MOST * max(floor_s, min(_seconds(work, short) for _ in range(3)))
    # A busy machine may spoil one measurement, but hardly three.
    assert any(_seconds(work, long) < most for _ in range(3))


def _seconds(work: Callable[[Input], object], given: Input) -> float:
    # Of the processor: other programs may run beside.
    # And of `work` alone: a collection of garbage goes through all that the tests before have left in this process.
    gc.disable()
    try:
        start = time.process_time()
        work(given)
        return time.process_time() - start
    finally:
        gc.enable()
