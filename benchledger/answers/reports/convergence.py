"""The convergence table, one row per series: final loss, best metric, steps and minutes, and those to a target."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from benchledger.answers.filters import MACHINE_COLUMNS, NUMBER_COLUMNS, TEXT_COLUMNS, Filters, read_filters
from benchledger.answers.reports.convergence_cells import (
    SERIES_COLUMNS,
    Target,
    headed,
    read_target,
    runs_frame,
    runs_of,
    series_text,
    table_notes,
)
from benchledger.answers.rows import frame_of, reading, rows_asked, rows_of
from benchledger.answers.tables.cells import fact_text
from benchledger.answers.tables.grid import BATCH_COLUMNS, SPLIT_COLUMNS, cell_order
from benchledger.answers.tables.grouping import TABLE_COLUMNS, Key, Row, facts_of, grouped
from benchledger.answers.tables.left_out import excluded_notes, need_series
from benchledger.answers.tables.presentation import Presentation, presentation_of
from benchledger.answers.tables.table import Report, Table, text_frame
from benchledger.errors import NothingFoundError
from benchledger.store.default_db import DEFAULT_DB

if TYPE_CHECKING:
    import duckdb

# Losses or metrics of different names never share a table.
_SPLIT_BY = ("loss_name", "metric", "metric_unit")
# A temporary table, because a relation is planned again for each query on it.
_SERIES = """
create or replace temp table asked_convergence as from convergence_table_of($metric, $target_name, $target)
"""
_RUNS = """
select
    series_run.series_id, series_run.trial, convergence.*,
    seen.path || ':' || coalesce(convergence.target_line, convergence.best_line, convergence.loss_line) as place
from run_convergence_of($metric, $target_name, $target) as convergence
join kept.series_run using (run_id)
left join place_of_log('*') as seen
    on seen.log_id = coalesce(convergence.target_log_id, convergence.best_log_id, convergence.loss_log_id)
where series_run.series_id in (select unnest($series))
order by series_run.series_id, series_run.trial, convergence.run_key
"""


def report_convergence(
    *,
    db: Path | str = DEFAULT_DB,
    campaign: str | None = None,
    metric: str | None = None,
    target: str | None = None,
    trials: bool = False,
    layout: str | None = None,
    lang: str | None = None,
    no_notes: bool = False,
    **case_columns: object,
) -> Report:
    """Returns the final loss and best metric of every series, its steps and minutes, and those to a target.

    `target` is loss=6.5, accuracy=75.9% or a metric's name with a value. `metric` selects another metric than each
    run's main one. With `trials` every run is listed below its table, with the source line of its number, and the
    report's cells are runs. Raises NothingFoundError if no selected run prints a loss or metric, UsageError for an
    invalid target.
    """
    aim = read_target(target, metric)
    presentation = presentation_of("convergence", layout, lang)
    filters = read_filters(campaign, case_columns, extra=MACHINE_COLUMNS)
    with reading(db) as con:
        need_series(con, db, filters)
        asked: dict[str, object] = {"metric": aim.metric, "target_name": aim.name, "target": aim.value}
        con.execute(_SERIES, asked)
        found = rows_of(filters.apply(con.table("asked_convergence")))
        rows = [row for row in found if row["metric"] is not None or not aim.wants_metric]
        if not rows:
            raise _nothing(filters, aim)
        aim.check(rows)
        runs = _runs_of(con, rows, asked) if trials else None
        excluded = excluded_notes(con, filters, presentation)
    groups = grouped(rows, (*TABLE_COLUMNS, *_SPLIT_BY)).values()
    tables = [_table(group, runs, presentation, aim) for group in groups]
    cells = sorted(rows, key=cell_order) if runs is None else _with_series(runs, rows)
    return Report("convergence", tuple(tables), frame_of(cells)).noted(excluded).without_notes(no_notes)


def _runs_of(con: duckdb.DuckDBPyConnection, rows: list[Row], asked: dict[str, object]) -> dict[Key, list[Row]]:
    series = sorted({row["series_id"] for row in rows})
    return grouped(rows_asked(con, _RUNS, **asked, series=series), SERIES_COLUMNS)


def _nothing(filters: Filters, aim: Target) -> NothingFoundError:
    what = f"a metric {aim.wanted!r}" if aim.wants_metric else "a loss while it trains, or a metric"
    met = " that meets the filters" if filters.values else ""
    return NothingFoundError(f"no run{met} prints {what}; bench query evaluations lists the metrics that there are")


def _table(rows: list[Row], runs: Mapping[Key, list[Row]] | None, presentation: Presentation, aim: Target) -> Table:
    rows = sorted(rows, key=cell_order)
    apart = tuple(name for name in (*SPLIT_COLUMNS, *BATCH_COLUMNS) if len({fact_text(row[name]) for row in rows}) > 1)
    table, facts = facts_of(rows[0], TABLE_COLUMNS), facts_of(rows[0], (*TABLE_COLUMNS, *_SPLIT_BY))
    columns = headed(facts, apart, aim)
    texts = [[series_text(row, column, presentation) for column in columns] for row in rows]
    told = {"loss": facts["loss_name"], **{name: facts[name] for name in _SPLIT_BY[1:]}, "target": aim.said}
    return Table(
        facts=table | {name: value for name, value in told.items() if value},
        coverage=None,
        frame=text_frame(presentation.headings(*columns), texts),
        rows_split_by=apart,
        notes=table_notes(rows, presentation, aim),
        trials=None if runs is None else runs_frame(rows, runs, presentation, aim),
        above=presentation.above(facts),
        texts=frozenset(presentation.headings(*(name for name in columns if name in (*apart, "trial_case", "status")))),
    )


def _with_series(runs: Mapping[Key, list[Row]], rows: list[Row]) -> list[Row]:
    kept = (
        "campaign",
        *TEXT_COLUMNS,
        *NUMBER_COLUMNS,
        *MACHINE_COLUMNS,
        "framework_version",
        "implementation_version",
        "variant",
    )
    listed = []
    for row in sorted(rows, key=cell_order):
        facts = {name: row[name] for name in kept}
        listed += [{**facts, **run} for run in runs_of(runs, row)]
    return listed
