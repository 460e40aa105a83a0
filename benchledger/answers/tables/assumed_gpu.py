"""Counts and notes trials without a GPU model that joined the only fitting series: their GPU model is assumed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchledger.answers.tables.grouping import Row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import duckdb

_SILENT = """
select run.run_id
from run
join environment using (environment_id)
where environment.gpu_model is null
"""


def count_assumed_gpu(con: duckdb.DuckDBPyConnection, rows: Iterable[Row]) -> None:
    """Adds `lent` to each row of speed_table: how many of its trials have their GPU model from the other trials."""
    silent = {run_id for (run_id,) in con.execute(_SILENT).fetchall()}
    for row in rows:
        row["lent"] = 0 if row["gpu_model"] is None else sum(run in silent for run in row["trial_runs"] or ())


def lent_note(rows: Iterable[Row], cell_of: Callable[[Row], str]) -> tuple[str, ...]:
    """Returns a note with the cells whose trials partly do not state the GPU model; empty without such a cell."""
    cells = [f"{cell_of(row)} ({row['lent']} of {row['trials']})" for row in rows if row["lent"]]
    return (f"the GPU model of some trials is told by the others of their series: {', '.join(cells)}",) if cells else ()
