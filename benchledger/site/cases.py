"""A file per case: the explanation of each of its numbers, and what is told of its runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from benchledger.answers.tables.grouping import Row, by_column, grouped
from benchledger.explaining.memory import explained_memories
from benchledger.explaining.run import explained_runs
from benchledger.explaining.speed import explained_speeds
from benchledger.explaining.speedup import explained_speedups
from benchledger.site.files import framed
from benchledger.site.numbers import case_key

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import duckdb
    import polars as pl

    from benchledger.explaining.explained import ExplainedCell, ExplainedRun


# What is read at once.
_BATCH_RUNS, _BATCH_RECORDS = 300, 1_000_000
_RECORDS = """
select run_log.run_id, sum(log.records)
from run_log
join log using (log_id)
where role not in ('copy', 'rank')
group by all
"""
# Used values shown from the start and from the end of each run.
_ENDS = 3
# Values of a run that its plot draws at most.
_DRAWN = 240
_TRIALS = (
    "trial", "run_key", "counts", "value", "unit", "recomputed", "records_used", "records_skipped", "device",
    "dropped_because",
)  # fmt: skip
_LINES = ("log", "line", "from_line", "step", "name", "value", "unit_logged", "use")
# Of so many stretches of a run the lowest and highest loss are drawn.
_STRETCHES = 120
_LOSSES = """
with numbered as (
    select run_id, coalesce(step, nth) as step, loss, nth, (nth - 1) * $stretches // losses as stretch
    from kept.loss_curve
    where run_id in (select unnest($runs)) and is_main and isfinite(loss)
),
ends as (
    select *
    from numbered
    qualify row_number() over (partition by run_id, stretch order by loss, nth) = 1
        or row_number() over (partition by run_id, stretch order by loss desc, nth) = 1
)
select run_id, step, loss
from ends
order by run_id, nth
"""


def case_pages(
    con: duckdb.DuckDBPyConnection, cells: Sequence[Row], runs: Sequence[Row]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields the name of each case and all that its pages show. `cells` are rows of the tables that have numbers."""
    cells_of = by_column(cells, "case_id")
    runs_of = {
        case_id: {row["run_id"]: row["run_key"] for row in rows} for case_id, rows in by_column(runs, "case_id").items()
    }
    records = dict(con.execute(_RECORDS).fetchall())
    cases = dict.fromkeys((*cells_of, *runs_of))
    sizes = {case_id: [records.get(run_id, 0) for run_id in runs_of.get(case_id, ())] for case_id in cases}
    names = {row["case_id"]: row["name"] for row in (*cells, *runs)}
    # Bases of speed-ups are of cases whose names are alike.
    for batch in _batches(sorted(cases, key=lambda case_id: (names[case_id], case_id)), sizes):
        told: dict[int, dict[str, Any]] = {case_id: {"cells": [], "runs": []} for case_id in batch}
        for cell in _explained(con, [row for case_id in batch for row in cells_of.get(case_id, [])]):
            told[cell.number["case_id"]]["cells"].append(cell_page(cell))
        of_batch = {run_id: key for case_id in batch for run_id, key in runs_of.get(case_id, {}).items()}
        for run in run_pages(con, of_batch):
            told[run.pop("case_id")]["runs"].append(run)
        yield from ((case_key(case_id), content) for case_id, content in told.items())


def _batches(cases: list[int], sizes: dict[int, list[int]]) -> Iterator[list[int]]:
    """Yields cases that are read together: some hundred runs, as a question costs more than a run of its answer.

    A batch has no more records than memory holds, unless one case has them.
    """
    batch: list[int] = []
    runs = records = 0
    for case_id in cases:
        if batch and (runs + len(sizes[case_id]) > _BATCH_RUNS or records + sum(sizes[case_id]) > _BATCH_RECORDS):
            yield batch
            batch, runs, records = [], 0, 0
        batch.append(case_id)
        runs, records = runs + len(sizes[case_id]), records + sum(sizes[case_id])
    if batch:
        yield batch


def _explained(con: duckdb.DuckDBPyConnection, cells: list[Row]) -> Iterator[ExplainedCell]:
    of_table: dict[str, list[Row]] = {"s": [], "m": [], "u": []}
    for row in cells:
        of_table[row["cell"][0]].append(row)
    speeds = [cell for alike in _alike(of_table["s"], "rule", "unit") for cell in explained_speeds(con, alike)]
    yield from speeds
    for alike in _alike(of_table["m"], "definition"):
        yield from explained_memories(con, alike)
    if of_table["u"]:
        yield from explained_speedups(con, of_table["u"], speeds)


def _alike(rows: list[Row], *columns: str) -> Iterable[list[Row]]:
    return grouped(rows, columns).values()


def cell_page(cell: ExplainedCell) -> dict[str, Any]:
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


def run_pages(con: duckdb.DuckDBPyConnection, runs: Mapping[int, str]) -> Iterator[dict[str, Any]]:
    """Yields runs, whose keys are given by their ids, as their pages show them, each with the id of its case."""
    losses: dict[int, list[tuple[int, float]]] = {}
    for run_id, step, loss in con.execute(_LOSSES, {"runs": list(runs), "stretches": _STRETCHES}).fetchall():
        losses.setdefault(run_id, []).append((step, loss))
    for run_id, run in zip(runs, explained_runs(con, runs), strict=True):
        yield _run_page(run, losses.get(run_id, []))


def _run_page(run: ExplainedRun, losses: list[tuple[int, float]]) -> dict[str, Any]:
    detail = run.detail
    started = detail.run["started_at"]
    return {
        "case_id": detail.run["case_id"], "run": run.run_key, "name": detail.run["name"],
        "sentences": list(run.sentences), "status": detail.status["status"],
        "started": None if started is None else f"{started:%Y-%m-%d %H:%M}",
        "campaigns": list(detail.campaigns), "excluded": None if detail.excluded is None else detail.excluded["reason"],
        "logs": framed(detail.logs, "log", "role", "first_line", "last_line", "format", "records", "ignored", "rejects",
                       "paired_by"),
        "facts": framed(detail.facts, "name", "value", "value_logged", "used", "source", "place"),
        "speeds": framed(detail.speeds, "rule", "is_default", "phase", "value", "unit", "records_used",
                         "records_skipped", "status", "reason"),
        "memory": framed(detail.memory),
        "convergence": framed(detail.convergence),
        "cells": framed(run.cells, "table", "cell", "campaign", "made_by", "value", "unit", "counts"),
        "losses": losses,
    }  # fmt: skip
