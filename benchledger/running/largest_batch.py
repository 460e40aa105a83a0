"""Finds the largest batch size that runs (README 004's BS=max): by doubling, then by bisection."""

from __future__ import annotations

from collections.abc import Callable

# Bisection ends when the result is known to 1/64.
_PARTS = 64
_LIMIT = 1 << 20


def largest(runs: Callable[[int], bool], start: int) -> tuple[int, int | None]:
    """Returns the largest size that runs, to 1/64 of it, and the smallest known to fail; 0 if even 1 fails.

    `runs` is asked at most once per size. The second is None if every size up to a million ran.
    """
    low, high = 0, None
    size = start
    while high is None or (low == 0 and size >= 1):
        if runs(size):
            low = size
            if high is not None or size >= _LIMIT:
                break
            size *= 2
        else:
            high = size
            if low:
                break
            size //= 2
            if size < 1:
                return 0, high
    while high is not None and high - low > max(1, low // _PARTS):
        middle = (low + high) // 2
        if runs(middle):
            low = middle
        else:
            high = middle
    return low, high
