"""Trials that state no GPU model and stand in the one series that fits them: their card is the others' word."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchledger.answers.grouping import Row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import duckdb

_SILENT = """
select run.run_id
from run
join environment using (environment_id)
where environment.gpu_model is null
"""


def count_lent(con: duckdb.DuckDBPyConnection, rows: Iterable[Row]) -> None:
    """Adds to each row of speed_table how many of its trials have their GPU model from the others: `lent`."""
    silent = {run_id for (run_id,) in con.execute(_SILENT).fetchall()}
    for row in rows:
        row["lent"] = 0 if row["gpu_model"] is None else sum(run in silent for run in row["trial_runs"] or ())


def lent_note(rows: Iterable[Row], cell_of: Callable[[Row], str]) -> tuple[str, ...]:
    """A note naming the cells of a table some of whose trials do not state its GPU model; nothing without one."""
    cells = [f"{cell_of(row)} ({row['lent']} of {row['trials']})" for row in rows if row["lent"]]
    return (f"the GPU model of some trials is told by the others of their series: {', '.join(cells)}",) if cells else ()
