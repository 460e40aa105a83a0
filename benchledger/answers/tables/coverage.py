"""The coverage of a table: how many cells have a number, and why the others have none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchledger.answers.tables.cells import status_text
from benchledger.answers.tables.grouping import Row, unstated
from benchledger.answers.tables.presentation import Look
from benchledger.answers.tables.table import Coverage

# A case without a number: its name in the ledger, its name in the layout, and the reason.
Gap = tuple[str, str, str]
_EXCLUDED = "excluded: "


def coverage_of(total: int, gaps: Sequence[Gap], look: Look) -> Coverage:
    """Returns the coverage of a table of `total` cells; a layout groups the gaps by reason, in its language."""
    missing = tuple(f"{case}: {why}" for case, _, why in gaps)
    return Coverage(total - len(gaps), total, missing, None if look.is_plain else _said(total, gaps, look))


def unstated_note(rows: list[Row], look: Look) -> tuple[str, ...]:
    """Returns a note with the failed series of a table that do not state its GPU model."""
    names = unstated(rows)
    return (look.note("unstated", names=names),) if names else ()


def _said(total: int, gaps: Sequence[Gap], look: Look) -> str:
    words = look.notes()
    by_reason: dict[str, list[str]] = {}
    for _, shown, why in gaps:
        by_reason.setdefault(_why(why, words, look), []).append(shown)
    if len(gaps) == total and len(by_reason) == 1:
        return look.note("nothing", total=total, why=next(iter(by_reason)))
    reasons = [f"{why}{words['colon']}{words['comma'].join(cases)}" for why, cases in by_reason.items()]
    return words["semicolon"].join([look.note("covered", present=total - len(gaps), total=total), *reasons])


def _why(why: str, words: Mapping[str, str], look: Look) -> str:
    if why.startswith(_EXCLUDED):
        return look.note("why_excluded", reason=why.removeprefix(_EXCLUDED))
    if why.startswith("out of memory"):
        return status_text("oom")
    key = "why_no_memory" if why.startswith("no ") and why.endswith("memory") else f"why_{why.replace(' ', '_')}"
    return words[key] if key in words else status_text(why)
