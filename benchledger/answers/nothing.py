"""Answers to a question that finds nothing or names something unknown: what exists instead."""

from __future__ import annotations

from collections.abc import Iterable

from benchledger.errors import BenchledgerError

SHOWN = 12


class NothingFoundError(BenchledgerError):
    """The question was right and the ledger holds no answer; the message says what it holds instead."""


def known(names: Iterable[object], wanted: str = "") -> str:
    """The known names as one phrase, those nearest to the wanted one first, cut after twelve."""
    import difflib

    listed = sorted({"unknown" if name is None else str(name) for name in names})
    near = difflib.get_close_matches(wanted, listed, n=SHOWN, cutoff=0.5)
    ordered = near + [name for name in listed if name not in near]
    if not ordered:
        return "none"
    more = len(ordered) - SHOWN
    return ", ".join(ordered[:SHOWN]) + (f" and {more} more" if more > 0 else "")
