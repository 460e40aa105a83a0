"""The roundings that rules name, in words."""

from __future__ import annotations

WORDS = {
    "round_even": "rounded half to even",
    "round_exact": "rounded like Python's round()",
    "truncate": "cut off",
    "significant": "rounded as '%.{}g' prints it",
    "round2_truncate": "rounded half to even at 2 decimals, then cut off",
}


def rounding_words(method: str | None, digits: int | None) -> str | None:
    """What a rounding does, in words; None where nothing is rounded."""
    if method is None:
        return None
    return f"{WORDS[method].format(digits)} to {digits} {'digits in all' if method == 'significant' else 'decimals'}"
