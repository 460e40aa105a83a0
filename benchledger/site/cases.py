"""A file per case: the explanation of each of its numbers, and what is told of its runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from benchledger.answers.tables.grouping import Row
from benchledger.explaining.explain import explained_cell
from benchledger.site.columns import framed
from benchledger.site.numbers import case_key
from benchledger.site.runs import told_run

if TYPE_CHECKING:
    import duckdb
    import polars as pl

    from benchledger.explaining.explained import ExplainedCell

# Used values shown from the start and from the end of each run.
_ENDS = 3
# Values of a run that its plot draws at most.
_DRAWN = 240
_TRIALS = (
    "trial", "run_key", "counts", "value", "unit", "recomputed", "records_used", "records_skipped", "device",
    "dropped_because",
)  # fmt: skip
_LINES = ("log", "line", "from_line", "step", "name", "value", "unit_logged", "use")


def told_cases(
    con: duckdb.DuckDBPyConnection, cells: Sequence[Row], runs: Sequence[Row]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields the name of each case and all that its pages show. `cells` are rows of the tables that have numbers."""
    by_case: dict[int, list[Row]] = {}
    for row in cells:
        by_case.setdefault(row["case_id"], []).append(row)
    runs_of: dict[int, dict[int, str]] = {}
    for row in runs:
        runs_of.setdefault(row["case_id"], {})[row["run_id"]] = row["run_key"]
    for case_id in sorted({*by_case, *runs_of}):
        told = [told_cell(explained_cell(con, row)) for row in by_case.get(case_id, [])]
        of_runs = [told_run(con, key, run_id) for run_id, key in sorted(runs_of.get(case_id, {}).items())]
        yield case_key(case_id), {"cells": told, "runs": of_runs}


def told_cell(cell: ExplainedCell) -> dict[str, Any]:
    """Returns the explanation of a number as its page shows it; of a speed-up the names of both its speeds."""
    told: dict[str, Any] = {
        "cell": cell.cell, "table": cell.table, "sentences": list(cell.sentences), "agrees": cell.check.agrees,
        "name": cell.number["name"], "rule": None if cell.rule is None else cell.rule["rule"],
    }  # fmt: skip
    if cell.sides:
        bases = [] if cell.bases is None else framed(cell.bases)
        sides = [[side.cell, case_key(side.number["case_id"])] for side in cell.sides]
        return {**told, "sides": sides, "bases": bases}
    trials = cell.trials.select(name for name in _TRIALS if name in cell.trials.columns)
    return {**told, "trials": framed(trials), "lines": _lines(cell.readings)}


def _lines(readings: pl.DataFrame) -> list[dict[str, Any]]:
    """Returns of each run its first and last used values with their lines, and why the others were dropped."""
    found = []
    for run_key, rows in _by_run(readings):
        used = rows.filter(use="kept")
        shown = used if used.height <= 2 * _ENDS else used[[*range(_ENDS), *range(used.height - _ENDS, used.height)]]
        dropped = rows.filter(rows["use"] != "kept").group_by("use", maintain_order=True).len()
        found.append({
            "run": run_key, "used": used.height, "shown": framed(shown, *_LINES[:-1]),
            "dropped": [[count, use] for use, count in dropped.iter_rows()], "drawn": _drawn(rows),
        })  # fmt: skip
    return found


def _by_run(readings: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
    for (run_key,), rows in readings.group_by(["run_key"], maintain_order=True):
        yield str(run_key), rows


def _drawn(rows: pl.DataFrame) -> list[list[Any]]:
    """Returns values of a run by step: at most so many, evenly, the first and last with them; 1 where it is used."""
    import polars as pl

    if "rate" not in rows.columns:
        return []
    is_read = (pl.col("use") == "kept") | pl.col("use").str.starts_with("dropped")
    points = rows.filter(is_read & pl.col("rate").is_finite() & pl.col("step").is_not_null())
    if points.height > _DRAWN:
        points = points[[place * (points.height - 1) // (_DRAWN - 1) for place in range(_DRAWN)]]
    return [[step, rate, int(use == "kept")] for step, rate, use in points.select("step", "rate", "use").iter_rows()]
