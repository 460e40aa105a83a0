"""What a report says of runs that somebody left out of every table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchledger.answers.filters import Filters
from benchledger.answers.runs import all_runs
from benchledger.errors import NothingFoundError

if TYPE_CHECKING:
    import duckdb

_SEE = "see bench exclude --list"


def excluded_notes(con: duckdb.DuckDBPyConnection, filters: Filters) -> tuple[str, ...]:
    """One note if runs that meet the filters are excluded, else none."""
    left_out = _count(con, filters)
    if not left_out:
        return ()
    return (f"{left_out} {'run is' if left_out == 1 else 'runs are'} excluded; {_SEE}",)


def need_included(con: duckdb.DuckDBPyConnection, filters: Filters) -> None:
    """Raises NothingFoundError if runs meet the filters and all of them are excluded."""
    left_out = _count(con, filters)
    if left_out and left_out == _distinct(filters.apply(all_runs(con))):
        raise NothingFoundError(f"all {left_out} runs asked for are excluded; {_SEE}")


def _count(con: duckdb.DuckDBPyConnection, filters: Filters) -> int:
    return _distinct(filters.apply(all_runs(con)).filter("excluded is not null"))


def _distinct(runs: duckdb.DuckDBPyRelation) -> int:
    row = runs.aggregate("count(distinct run_id)").fetchone()
    return int(row[0]) if row else 0
