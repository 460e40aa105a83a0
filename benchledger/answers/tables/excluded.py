"""Excluded runs: selects without them, and makes the notes about them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchledger.answers.filters import Filters
from benchledger.answers.runs import all_runs, need_matching_runs
from benchledger.answers.series import all_series, any_excluded
from benchledger.answers.tables.grouping import TABLE_COLUMNS, Row
from benchledger.answers.tables.presentation import Look
from benchledger.errors import NothingFoundError
from benchledger.store.run_keys import need_runs

if TYPE_CHECKING:
    import duckdb

SEE = "see bench exclude --list"


def excluded_notes(con: duckdb.DuckDBPyConnection, filters: Filters, look: Look | None = None) -> tuple[str, ...]:
    """Returns one note if selected runs are excluded; none in a layout, whose readers have no ledger."""
    left_out = 0 if look is not None and not look.is_plain else _count(con, filters)
    if not left_out:
        return ()
    return (f"{left_out} {'run is' if left_out == 1 else 'runs are'} excluded; {SEE}",)


def excluded_runs(con: duckdb.DuckDBPyConnection, filters: Filters) -> list[Row]:
    """Returns the excluded runs that meet the filters, by campaign and case, with the reason as `excluded`."""
    if not any_excluded(con):
        return []
    found = filters.apply(all_runs(con)).filter("excluded is not null").order("run_key, campaign")
    return [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()]


def excluded_of(excluded: list[Row], table: Mapping[str, Any]) -> list[Row]:
    """Returns the runs that belong in a table of these facts; a run without a GPU model fits any."""
    return [
        run
        for run in excluded
        if all(
            run[name] == table[name] or (name in ("system", "gpu_model") and run[name] is None)
            for name in TABLE_COLUMNS
        )
    ]


def why_excluded(runs: list[Row]) -> str:
    return "; ".join(dict.fromkeys(run["excluded"] for run in runs))


def need_included(con: duckdb.DuckDBPyConnection, filters: Filters) -> None:
    """Raises NothingFoundError if runs meet the filters and all of them are excluded."""
    left_out = _count(con, filters)
    if left_out and left_out == _distinct(filters.apply(all_runs(con))):
        raise NothingFoundError(f"all {left_out} selected runs are excluded; {SEE}")


def need_series(con: duckdb.DuckDBPyConnection, db: Path | str, filters: Filters) -> duckdb.DuckDBPyRelation:
    """Returns the selected series. Raises NothingFoundError, which lists the known values, if there are none."""
    every = all_series(con)
    met = filters.apply(every)
    if met.limit(1).fetchone() is None:
        need_runs(con, db)
        need_included(con, filters)
        raise filters.explain(every, "series")
    return met


def included_runs(con: duckdb.DuckDBPyConnection, db: Path | str, filters: Filters) -> duckdb.DuckDBPyRelation:
    """Returns the selected runs that are not excluded. Raises NothingFoundError if there are none."""
    every = all_runs(con)
    need_matching_runs(con, db, every, filters)
    need_included(con, filters)
    return filters.apply(every).filter("excluded is null")


def _count(con: duckdb.DuckDBPyConnection, filters: Filters) -> int:
    if not any_excluded(con):
        return 0
    return _distinct(filters.apply(all_runs(con)).filter("excluded is not null"))


def _distinct(runs: duckdb.DuckDBPyRelation) -> int:
    row = runs.aggregate("count(distinct run_id)").fetchone()
    return int(row[0]) if row else 0
