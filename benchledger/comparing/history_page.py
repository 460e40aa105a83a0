"""A history on one screen: a line with the counts, the changes, regressions first, and what changed with them."""

from __future__ import annotations

import polars as pl

from benchledger.answers.tables.cells import number_text
from benchledger.answers.tables.grouping import Row
from benchledger.comparing.history import ACCEPTED, IMPROVEMENT, LEAST_POINTS, OUTLIER, RECOVERED, REGRESSION, History
from benchledger.comparing.page import Page, quantity_text
from benchledger.errors import counted

MOST_CHANGES = 20
_ORDER = (REGRESSION, IMPROVEMENT, RECOVERED, ACCEPTED, OUTLIER)
_HEAD = ("case", "quantity", "from", "before", "after", "change", "95 % interval", "chance", "points", "state", "run")


def page_of(history: History, most: int | None = MOST_CHANGES) -> Page:
    """Returns a history as a page: at most so many changes, the latest first within each state."""
    rows = history.changes.to_dicts()
    rows.sort(key=lambda row: row["started_at"].timestamp() if row["started_at"] else 0.0, reverse=True)
    rows.sort(key=lambda row: _ORDER.index(row["state"]))
    shown = rows[:most]
    states = {state: sum(row["state"] == state for row in rows) for state in _ORDER}
    counts = ", ".join(_counted(state, number) for state, number in states.items() if number) or "no change"
    notes = [f"{row['name']} at {row['point']}: {row['causes']}" for row in shown if row["causes"]]
    notes += [
        f"{row['name']} at {row['point']}: accepted{_by(row)}: {row['reason']}"
        for row in shown
        if row["state"] == ACCEPTED
    ]
    if len(rows) > len(shown):
        notes.append(f"{len(rows) - len(shown)} more changes: bench -v history")
    if any(row["state"] == REGRESSION for row in shown):
        notes.append("Accept a regression: bench history --accept RUN --reason TEXT")
    if any(row["state"] == OUTLIER for row in shown):
        notes.append("Leave an outlier out of all tables: bench exclude RUN --reason TEXT")
    if history.short:
        notes.append(f"{counted(history.short, 'line')} of fewer points: compare two with bench compare.")
    return Page(
        [f"{counted(history.lines.height, 'line')} of {LEAST_POINTS} points or more: {counts}"],
        history.lines,
        _table(shown),
        notes,
    )


def _counted(state: str, number: int) -> str:
    return f"{number} {state}" if state in (RECOVERED, ACCEPTED) else counted(number, state)


def _by(row: Row) -> str:
    return f" by {row['accepted_by']}" if row["accepted_by"] else ""


def _table(rows: list[Row]) -> pl.DataFrame:
    several = len({row["framework"] for row in rows}) > 1
    return pl.DataFrame([_change_row(row, several) for row in rows], schema=dict.fromkeys(_HEAD, pl.String))


def _change_row(row: Row, several: bool) -> dict[str, str]:
    is_step = row["state"] != OUTLIER
    return {
        "case": f"{row['name']} {row['framework']}" if several else row["name"],
        "quantity": quantity_text(row, row["rule"]),
        "from": row["point"],
        "before": number_text(row["before"]),
        "after": number_text(row["after"]),
        "change": f"{row['change_percent']:+.2f} %",
        "95 % interval": f"{row['low_percent']:+.2f} to {row['high_percent']:+.2f} %" if is_step else "",
        "chance": f"{row['chance']:.1g}" if is_step else "",
        "points": f"{row['points_before']}, {row['points_after']}" if is_step else "1",
        "state": row["state"] + (" (one point)" if row["points_after"] == 1 else ""),
        "run": row["run_key"],
    }
