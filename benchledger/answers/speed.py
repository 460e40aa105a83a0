"""The speed table: samples per second of every case, cards by precision and batch size, as README 000 prints it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from benchledger.answers.cells import cell_text
from benchledger.answers.excluded import excluded_notes
from benchledger.answers.filters import read_filters
from benchledger.answers.grid import cell_order, lay_out
from benchledger.answers.grouping import (
    TABLE_COLUMNS,
    Row,
    as_stated,
    facts_of,
    grouped,
    take_in_failures,
    take_in_unstated,
    unstated_note,
)
from benchledger.answers.reading import DEFAULT_DB, reading
from benchledger.answers.rules import left_out_notes, need_value, rows_by_rule, rules_asked_for
from benchledger.answers.series import all_series, frame_of, need_series
from benchledger.answers.tables import Report
from benchledger.answers.trials import Trials, any_number, trial_frame, trial_notes, trial_rows, trials_of


def report_speed(
    *,
    db: Path | str = DEFAULT_DB,
    campaign: str | None = None,
    rule: str | None = None,
    trials: bool = False,
    **case_columns: object,
) -> Report:
    """The speed of every series, one table per campaign, framework, implementation, model, task, GPU model and unit.

    `campaign` and text columns may be globs. Each format's default rule counts unless `rule` names one, or several as
    a glob; `trials` lists every trial beside mean and median. Raises NothingFoundError if no series meets the filters,
    UsageError for an unknown rule or column.
    """
    filters = read_filters(campaign, case_columns, extra=["gpu_model"])
    with reading(db) as con:
        asked = rules_asked_for(con, rule)
        series = all_series(con)
        need_series(con, db, series, filters)
        rows = rows_by_rule(filters.apply(con.view("speed_table")), rule)
        every_trial = trials_of(con, rows)
        bracketed = any_number(rows, every_trial)
        if not (trials and bracketed):
            hint = "; see the numbers of single runs, which do not count, with --trials" if bracketed else ""
            need_value(con, rows, rule, hint)
        excluded = excluded_notes(con, filters)
    return _report(take_in_failures(take_in_unstated(rows)), every_trial, trials, asked).noted(excluded)


def _report(rows: list[Row], every_trial: Trials, trials: bool, asked: list[str]) -> Report:
    tables = []
    cells: list[Row] = []
    for row in rows:
        row["cell"] = cell_text(row["value"], row["status"])
        row["missing"] = None if row["value"] is not None else row["status"].replace("_", " ")
    columns = (*TABLE_COLUMNS, "unit", "rule")
    for group in grouped(rows, columns).values():
        facts = facts_of(group[0], columns)
        notes = (*trial_notes(group), *unstated_note(group), *left_out_notes(rows, group, asked))
        table = lay_out(group, facts, notes)
        if trials:
            table = replace(table, trials=trial_frame(group, table.rows_split_by, every_trial))
        tables.append(table)
        cells.extend(map(as_stated, sorted(group, key=cell_order)))
    return Report("speed", tuple(tables), frame_of(trial_rows(cells, every_trial) if trials else cells))
