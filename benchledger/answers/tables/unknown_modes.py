"""Notes on runs with speeds of a mode that no format knows: they are in no table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchledger.answers.filters import Filters
from benchledger.answers.runs import all_runs
from benchledger.answers.tables.presentation import Look

if TYPE_CHECKING:
    import duckdb

_UNPHASED = "select distinct run_key from run join run_speed using (run_id) where phase is null and value is not null"


def unknown_mode_notes(con: duckdb.DuckDBPyConnection, filters: Filters, look: Look | None = None) -> tuple[str, ...]:
    """Returns one note if selected runs print such speeds; none in a layout, whose readers have no ledger."""
    unphased = {key for (key,) in con.execute(_UNPHASED).fetchall()} if look is None or look.is_plain else set()
    if not unphased:
        return ()
    count = len(unphased & {key for (key,) in filters.apply(all_runs(con)).select("run_key").fetchall()})
    told = "run is" if count == 1 else "runs are"
    return (f"{count} {told} of a mode that no format knows, and in no table: bench query unknown-modes",) * bool(count)
