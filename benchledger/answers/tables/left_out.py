"""What is not in a table: excluded runs, series without a rule, runs of an unknown mode; and the notes about them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchledger.answers.filters import Filters
from benchledger.answers.rows import all_series, any_excluded, rows_of
from benchledger.answers.runs import all_runs, need_matching_runs
from benchledger.answers.tables.grouping import TABLE_COLUMNS, Row
from benchledger.answers.tables.presentation import Presentation
from benchledger.errors import NothingFoundError
from benchledger.store.run_keys import need_runs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import duckdb

SEE = "see bench exclude --list"
# A user's format may name no rule, and a user's rule is known only with its --definitions.
_FORMATS_WITHOUT_RULE = """
select format, default_rule
from kept.format
where role = 'train' and (default_rule is null or default_rule not in (select rule from kept.rule))
order by format
"""
_SERIES_OF_FORMAT = """
select distinct series_id
from kept.series_run
join kept.run_format using (run_id)
where format = $format
"""
_UNPHASED = "select distinct run_key from run join run_speed using (run_id) where phase is null and value is not null"
_SILENT = """
select run.run_id
from run
join environment using (environment_id)
where environment.gpu_model is null
"""


def excluded_notes(
    con: duckdb.DuckDBPyConnection, filters: Filters, presentation: Presentation | None = None
) -> tuple[str, ...]:
    """Returns one note if selected runs are excluded; none in a layout, whose readers have no ledger."""
    left_out = 0 if presentation is not None and not presentation.is_plain else _count(con, filters)
    if not left_out:
        return ()
    return (f"{left_out} {'run is' if left_out == 1 else 'runs are'} excluded; {SEE}",)


def excluded_runs(con: duckdb.DuckDBPyConnection, filters: Filters) -> list[Row]:
    """Returns the excluded runs that meet the filters, by campaign and case, with the reason as `excluded`."""
    if not any_excluded(con):
        return []
    return rows_of(filters.apply(all_runs(con)).filter("excluded is not null").order("run_key, campaign"))


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


def speed_notes(
    con: duckdb.DuckDBPyConnection, filters: Filters, rows: list[Row], presentation: Presentation | None = None
) -> tuple[str, ...]:
    """Returns the notes on what is missing from these rows of a view of speeds; none in a layout.

    Raises NothingFoundError if there are no rows because no format has a rule.
    """
    without_rule = _without_rule(con, filters, rows)
    if presentation is not None and not presentation.is_plain:
        return ()
    return (*without_rule, *_unknown_modes(con, filters), *excluded_notes(con, filters))


def _without_rule(con: duckdb.DuckDBPyConnection, filters: Filters, rows: list[Row]) -> list[str]:
    formats = con.execute(_FORMATS_WITHOUT_RULE).fetchall()
    if not formats:
        return []
    met = {series for (series,) in filters.apply(all_series(con)).select("series_id").fetchall()}
    missing = met - {row["series_id"] for row in rows}
    notes = []
    for name, rule in formats:
        count = len(missing & {series for (series,) in con.execute(_SERIES_OF_FORMAT, {"format": name}).fetchall()})
        if count:
            is_are = "is" if count == 1 else "are"
            notes.append(f"{count} series of format {name} {is_are} in no table: {_why_no_rule(rule)}")
    if notes and not rows:
        raise NothingFoundError("; ".join(notes))
    return notes


def _why_no_rule(rule: str | None) -> str:
    if rule is None:
        return (
            "it names no default_rule. Ask for a rule (bench report speed --rule; bench query rules), or name one in "
            "the format"
        )
    return (
        f"its default rule {rule} is not known to the ledger. Ingest with the --definitions that hold it, or ask for "
        f"another (bench report speed --rule)"
    )


def _unknown_modes(con: duckdb.DuckDBPyConnection, filters: Filters) -> tuple[str, ...]:
    unphased = {key for (key,) in con.execute(_UNPHASED).fetchall()}
    if not unphased:
        return ()
    count = len(unphased & {key for (key,) in filters.apply(all_runs(con)).select("run_key").fetchall()})
    verb = "run is" if count == 1 else "runs are"
    return (f"{count} {verb} of a mode that no format knows, and in no table: bench query unknown-modes",) * bool(count)


def count_assumed_gpu(con: duckdb.DuckDBPyConnection, rows: Iterable[Row]) -> None:
    """Adds `assumed_gpu` to each row of speed_table: how many trials have their GPU model from the other trials."""
    silent = {run_id for (run_id,) in con.execute(_SILENT).fetchall()}
    for row in rows:
        row["assumed_gpu"] = 0 if row["gpu_model"] is None else sum(run in silent for run in row["trial_runs"] or ())


def assumed_gpu_note(rows: Iterable[Row], cell_of: Callable[[Row], str]) -> tuple[str, ...]:
    """Returns a note with the cells whose trials partly do not state the GPU model; empty without such a cell."""
    cells = [f"{cell_of(row)} ({row['assumed_gpu']} of {row['trials']})" for row in rows if row["assumed_gpu"]]
    return (f"the GPU model of some trials is told by the others of their series: {', '.join(cells)}",) if cells else ()
