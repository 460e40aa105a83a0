"""What a report says of runs that somebody left out of every table."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchledger.answers.filters import Filters
from benchledger.answers.grouping import TABLE_COLUMNS, Row
from benchledger.answers.look import Look
from benchledger.answers.runs import all_runs, need_matching_runs
from benchledger.answers.series import any_excluded
from benchledger.errors import NothingFoundError

if TYPE_CHECKING:
    import duckdb

SEE = "see bench exclude --list"


def excluded_notes(con: duckdb.DuckDBPyConnection, filters: Filters, look: Look | None = None) -> tuple[str, ...]:
    """One note if runs that meet the filters are excluded, else none; readers of a layout have no ledger to ask."""
    left_out = 0 if look is not None and not look.is_plain else _count(con, filters)
    if not left_out:
        return ()
    return (f"{left_out} {'run is' if left_out == 1 else 'runs are'} excluded; {SEE}",)


def excluded_runs(con: duckdb.DuckDBPyConnection, filters: Filters) -> list[Row]:
    """The excluded runs that meet the filters, by campaign and case, each with the reason as `excluded`."""
    if not any_excluded(con):
        return []
    found = filters.apply(all_runs(con)).filter("excluded is not null").order("run_key, campaign")
    return [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()]


def excluded_of(excluded: list[Row], table: Mapping[str, Any]) -> list[Row]:
    """Those that would stand in a table of these facts; a card that a run does not state may be the table's."""
    return [
        run
        for run in excluded
        if all(run[name] == table[name] or (name == "gpu_model" and run[name] is None) for name in TABLE_COLUMNS)
    ]


def why_excluded(runs: list[Row]) -> str:
    """The reasons of some excluded runs, each once."""
    return "; ".join(dict.fromkeys(run["excluded"] for run in runs))


def need_included(con: duckdb.DuckDBPyConnection, filters: Filters) -> None:
    """Raises NothingFoundError if runs meet the filters and all of them are excluded."""
    left_out = _count(con, filters)
    if left_out and left_out == _distinct(filters.apply(all_runs(con))):
        raise NothingFoundError(f"all {left_out} runs asked for are excluded; {SEE}")


def included_runs(con: duckdb.DuckDBPyConnection, db: Path | str, filters: Filters) -> duckdb.DuckDBPyRelation:
    """The runs that meet the filters and are not excluded. Raises NothingFoundError if none meets them, or all are."""
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
