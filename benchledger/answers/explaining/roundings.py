"""The roundings that rules name, in Python: for checking what macro `rounded` of the ledger does."""

from __future__ import annotations

import math

WORDS = {
    "round_even": "rounded half to even",
    "round_exact": "rounded like Python's round()",
    "truncate": "cut off",
    "significant": "rounded as '%.{}g' prints it",
    "round2_truncate": "rounded half to even at 2 decimals, then cut off",
}


def rounded(value: float, method: str | None, digits: int | None) -> float:
    """A value by one of the roundings; as it is without one, and where a double has no decimals."""
    if method is None or digits is None or not abs(value) < 1e15:
        return value
    scale = 10.0**digits
    if method == "round_exact":
        return float(f"{value:.{digits}f}")
    if method == "significant":
        return float(f"{value:.{digits}g}")
    if method == "truncate":
        return math.trunc(value * scale) / scale
    if method == "round2_truncate":
        return math.trunc(round(value * 100) / 100 * scale) / scale
    return round(value * scale) / scale


def rounding_words(method: str | None, digits: int | None) -> str | None:
    """What a rounding does, in words; None where nothing is rounded."""
    if method is None:
        return None
    return f"{WORDS[method].format(digits)} to {digits} {'digits in all' if method == 'significant' else 'decimals'}"
