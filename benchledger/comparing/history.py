"""`bench history`: where a number of a case changed over time, by how much, how surely, and what changed with it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from benchledger.answers.filters import MACHINE_COLUMNS, read_filters
from benchledger.answers.reports.convergence_cells import read_target
from benchledger.answers.rows import reading, rows_of
from benchledger.answers.tables.grouping import Row
from benchledger.comparing.change_points import Found, Step, find_steps
from benchledger.comparing.compare import is_less_better, known_of
from benchledger.comparing.differences import MOST_EXPLAINED, causes_of, evidence_of
from benchledger.comparing.distributions import Noise, fit_noise
from benchledger.comparing.sides import QUANTITIES, VERSION_COLUMNS, Side, sql_of, trials_of
from benchledger.errors import UsageError
from benchledger.store.default_db import DEFAULT_DB
from benchledger.store.run_keys import need_runs

if TYPE_CHECKING:
    import duckdb

OVER = ("date", "version", "commit")
REGRESSION, RECOVERED, IMPROVEMENT, ACCEPTED, OUTLIER = "regression", "recovered", "improvement", "accepted", "outlier"
# Of two points no one can tell which is the outlier: bench compare has the trials of both.
LEAST_POINTS = 3
# The time to find steps grows with the cube of the points: seconds for so many.
MOST_POINTS = 1000
_SHARED = ("name", "framework", "quantity", "rule", "unit", "gpu_model", "system")
_COLUMNS = (
    *_SHARED, "point", "started_at", "before", "after", "change_percent", "low_percent", "high_percent", "chance",
    "points_before", "points_after", "state", "reason", "accepted_by", "run_key", "cell", "campaign", "causes", "line",
)  # fmt: skip


@dataclass(frozen=True)
class History:
    """The answer: `changes` has a row per step and outlier, `lines` one per case, machine, quantity and rule.

    `state` of a change: regression, recovered (a later level is as good as before), improvement, accepted or outlier.
    `point` is the day, version or commit of the first point after it, `run_key` a run there (of an outlier all,
    with blanks between them). `short` counts the lines that have too few points. `acceptable` are the keys of all runs
    at which an acceptance counts for a step.
    """

    threshold: float
    changes: pl.DataFrame
    lines: pl.DataFrame
    short: int
    acceptable: frozenset[str]

    @property
    def is_worse(self) -> bool:
        """Tells whether there is a regression that neither a person accepted nor a later change made good."""
        return bool((self.changes["state"] == REGRESSION).any())


@dataclass(frozen=True)
class _Line:
    """One line: its points in their order, with the logarithms of their geometric means."""

    points: list[Row]
    values: list[float]

    @property
    def kind(self) -> tuple[str, str | None]:
        first = self.points[0]
        return first["quantity"], first["rule"] if first["quantity"] == "memory" else None

    def squares(self) -> tuple[float, float]:
        pairs = [
            (math.log(value) - mean, len(point["trials"]))
            for point, mean in zip(self.points, self.values, strict=True)
            for value in point["trials"]
        ]
        return math.fsum(off**2 for off, _ in pairs), sum(len(point["trials"]) - 1.0 for point in self.points)

    def noise(self, shared: Noise) -> Noise:
        variance, df = shared.with_own(*self.squares())
        trials = sum(len(point["trials"]) for point in self.points) / len(self.points)
        return Noise(variance / trials, df) if df > 0 else Noise()


def history(
    *,
    over: str = "date",
    quantity: Iterable[str] = (),
    rule: str | None = None,
    target: str | None = None,
    threshold: float = 1.0,
    since: str | None = None,
    campaign: str | None = None,
    db: Path | str = DEFAULT_DB,
    wait_s: float = 30.0,
    **case_columns: object,
) -> History:
    """Finds the steps in each case over time, and the outliers. `threshold` is the smallest step, in percent.

    `over` orders the points: date (days of the logs), version (of the framework) or commit (implementation version).
    `since` (YYYY-MM-DD) leaves out earlier changes, not earlier points. Raises UsageError for what cannot be asked,
    and for filters that no trial meets.
    """
    quantities, aim, first = known_of("quantity", quantity, QUANTITIES), read_target(target, None), _day(since)
    known_of("order", [over], OVER)
    if not 0 < threshold < 100:
        raise UsageError(f"the threshold must be a percentage between 0 and 100, not {threshold:g}")
    filters = read_filters(campaign, case_columns, extra=(*MACHINE_COLUMNS, *VERSION_COLUMNS))
    with reading(db, records=True, wait_s=wait_s) as con:
        need_runs(con, db)
        trials_of(Side(str(db), con, filters), rule, aim)
        every = _lines(con, filters.apply(con.table("compared_trial")), over)
        every = [line for line in every if line.kind[0] in quantities or not quantities]
        lines = [line for line in every if len(line.points) >= LEAST_POINTS]
        found = _found(lines, math.log1p(threshold / 100))
        changes = [
            change
            for line, of_it in zip(lines, found, strict=True)
            for change in _changes(line, of_it, math.log1p(threshold / 100))
            if first is None or (change["started_at"] is not None and change["started_at"].date() >= first)
        ]
        _add_causes(con, changes)
    shown = [_line_row(line, of_it) for line, of_it in zip(lines, found, strict=True)]
    near = (_near(line, step) for line, of_it in zip(lines, found, strict=True) for step in of_it.steps)
    acceptable = frozenset(key for points in near for point in points for key in point["run_keys"])
    return History(
        threshold, _frame(changes, _COLUMNS), _frame(shown, tuple(_LINE)), len(every) - len(lines), acceptable
    )


def _day(since: str | None) -> date | None:
    try:
        return None if since is None else date.fromisoformat(since)
    except ValueError:
        raise UsageError(f"since must be a day such as 2026-11-20, not {since!r}") from None


def _lines(con: duckdb.DuckDBPyConnection, trials: duckdb.DuckDBPyRelation, over: str) -> list[_Line]:
    con.execute("set variable over = $over", {"over": over})
    lines: dict[tuple[str, str], list[Row]] = {}
    for row in rows_of(trials.query("asked_trial", sql_of("history_points"))):
        lines.setdefault((row["quantity"], row["line"]), []).append(row)
    newest = [points[-MOST_POINTS:] for points in lines.values()]
    return [
        _Line(points, [math.fsum(map(math.log, point["trials"])) / len(point["trials"]) for point in points])
        for points in newest
    ]


def _found(lines: list[_Line], least: float) -> list[Found]:
    """Finds the steps of the lines of each kind together: their noise is of one kind."""
    kinds: dict[tuple[str, str | None], list[int]] = {}
    for number, line in enumerate(lines):
        kinds.setdefault(line.kind, []).append(number)
    found: dict[int, Found] = {}
    for numbers in kinds.values():
        alike = [lines[number] for number in numbers]
        shared = fit_noise([line.squares() for line in alike])
        steps = find_steps([line.values for line in alike], least, [line.noise(shared) for line in alike])
        found |= dict(zip(numbers, steps, strict=True))
    return [found[number] for number in range(len(lines))]


def _changes(line: _Line, found: Found, least: float) -> list[Row]:
    first = line.points[0]
    sign = -1 if is_less_better(first["quantity"], first["unit"]) else 1
    ends = [step.at for step in found.steps] + [len(line.points)]
    starts = [0, *ends]
    last = found.steps[-1].after if found.steps else 0.0
    rows = []
    for number, step in enumerate(found.steps):
        is_worse, is_regained = sign * (step.after - step.before) < 0, sign * (last - step.before) > -least
        decided = _decided(line, step)
        state = RECOVERED if is_regained else REGRESSION
        row = _row(line, step.at, step.before, step.after)
        rows.append({
            **row, **_interval(step), "state": ACCEPTED if decided["reason"] else state if is_worse else IMPROVEMENT,
            **decided, "points_before": step.at - starts[number], "points_after": ends[number + 1] - step.at,
            "_runs": (line.points[step.at - 1]["run_ids"], line.points[step.at]["run_ids"]),
        })  # fmt: skip
    for at in found.outliers:
        level = next((step.before for step in found.steps if at < step.at), last)
        level = level if found.steps else sorted(line.values)[len(line.values) // 2]
        keys = " ".join(sorted(line.points[at]["run_keys"]))
        rows.append({**_row(line, at, level, line.values[at]), "state": OUTLIER, "run_key": keys})
    return sorted(rows, key=lambda row: (row["started_at"] is not None, row["started_at"], row["point"]))


def _row(line: _Line, at: int, before: float, after: float) -> Row:
    point = line.points[at]
    named = {name: point[name] for name in (*_SHARED, "point", "started_at", "run_key", "cell", "campaign", "line")}
    change = math.expm1(after - before) * 100
    return {**named, "before": math.exp(before), "after": math.exp(after), "change_percent": change}


def _interval(step: Step) -> Row:
    change = step.after - step.before
    low, high = (math.expm1(change + side * step.half_width) * 100 for side in (-1, 1))
    return {"low_percent": low, "high_percent": high, "chance": step.chance}


def _decided(line: _Line, step: Step) -> Row:
    near = [point for point in _near(line, step) if point["reason"]]
    return {name: near[0][name] if near else None for name in ("reason", "accepted_by")}


def _near(line: _Line, step: Step) -> list[Row]:
    """Returns the points at which a step can be accepted: its own and its neighbours, as later points may move it."""
    return line.points[max(step.at - 1, 0) : step.at + 2]


def _add_causes(con: duckdb.DuckDBPyConnection, changes: list[Row]) -> None:
    """Adds to the regressions and improvements, the latest first, which settings differ."""
    asked = [row for row in changes if row["state"] in (REGRESSION, IMPROVEMENT)]
    asked.sort(key=lambda row: (row["state"] != REGRESSION, -row["started_at"].timestamp() if row["started_at"] else 0))
    for row in asked[:MOST_EXPLAINED]:
        row["causes"] = causes_of(*(evidence_of(con, runs, of_records=False) for runs in row["_runs"]))


_LINE = (*_SHARED, "points", "first", "last", "changes", "outliers")


def _line_row(line: _Line, found: Found) -> Row:
    return {
        **{name: line.points[0][name] for name in _SHARED},
        "points": len(line.points), "first": line.points[0]["point"], "last": line.points[-1]["point"],
        "changes": len(found.steps), "outliers": len(found.outliers),
    }  # fmt: skip


def _frame(rows: list[Row], columns: tuple[str, ...]) -> pl.DataFrame:
    if not rows:
        return pl.DataFrame(schema=dict.fromkeys(columns, pl.String))
    return pl.DataFrame([{name: row.get(name) for name in columns} for row in rows], infer_schema_length=None)
