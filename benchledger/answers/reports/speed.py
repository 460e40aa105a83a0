"""The speed table: one row per GPU count, one column per precision and batch size, as README 000 prints it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from benchledger.answers.filters import MACHINE_COLUMNS, read_filters
from benchledger.answers.reports.published import published_report, refuse_beside
from benchledger.answers.rows import frame_of, reading
from benchledger.answers.tables.cells import named, value_text
from benchledger.answers.tables.grid import cell_order, lay_out
from benchledger.answers.tables.grouping import (
    TABLE_COLUMNS,
    Row,
    adopt_gpu_model,
    adopt_unit,
    facts_of,
    grouped,
    without_adopted_gpu,
)
from benchledger.answers.tables.left_out import (
    assumed_gpu_note,
    count_assumed_gpu,
    excluded_of,
    excluded_runs,
    need_series,
    speed_notes,
)
from benchledger.answers.tables.presentation import presentation_of, unstated_note
from benchledger.answers.tables.remarks import remarks, runs_of
from benchledger.answers.tables.rules import left_out_notes, need_value, rows_by_rule, rules_asked_for, rules_by_kin
from benchledger.answers.tables.table import Report
from benchledger.answers.tables.table_selection import read_selection
from benchledger.answers.tables.trials import (
    any_number,
    cell_of,
    trial_counts,
    trial_frame,
    trial_notes,
    trial_rows,
    trials_of,
)
from benchledger.answers.tables.units import NOTE, as_mfu, logged_units
from benchledger.errors import UsageError
from benchledger.store.default_db import DEFAULT_DB


def report_speed(
    *,
    db: Path | str = DEFAULT_DB,
    campaign: str | None = None,
    rule: str | None = None,
    trials: bool = False,
    layout: str | None = None,
    lang: str | None = None,
    columns: object = None,
    rows: object = None,
    unit: str | None = None,
    cells: bool = False,
    published: str | None = None,
    no_notes: bool = False,
    mfu: bool = False,
    **case_columns: object,
) -> Report:
    """Returns the speed of every series.

    One table per campaign, framework, implementation, model, task, GPU model and unit. `campaign` and text columns may
    be globs. Each format's default rule counts unless `rule` names one, or several as a glob; `trials` lists every
    trial beside mean and median. `layout` and `lang` choose the headings, `columns` (`"fp32:32,fp32:max"`) and `rows`
    (`"1,8"`) the cells, `unit` the spelling of the unit; `cells` adds each number's name. `mfu` shows the share of the
    GPU's peak in place of the speed. `published` shows the numbers printed in documents with such a source, instead of
    measured ones. Raises NothingFoundError if no series meets the filters, UsageError for an unknown rule or column.
    """
    filters = read_filters(campaign, case_columns, extra=MACHINE_COLUMNS)
    presentation = presentation_of("speed", layout, lang)
    asked = read_selection(presentation, columns, rows)
    if mfu and (trials or unit or cells or published is not None):
        raise UsageError("--mfu shows shares, not speeds: leave out --trials, --unit, --cells and --published")
    if published is not None:
        refuse_beside(published, trials=trials, unit=unit, cells=cells)
        answer = published_report(db, presentation, published, filters, rule=rule, columns=columns, rows=rows)
        return answer.without_notes(no_notes)
    with reading(db) as con:
        rules = rules_asked_for(con, rule)
        need_series(con, db, filters)
        found = rows_by_rule(filters.apply(con.view("speed_table")), rule)
        noted = speed_notes(con, filters, found, presentation)
        every_trial = trials_of(con, found)
        count_assumed_gpu(con, found)
        bracketed = any_number(found, every_trial)
        if not (trials and bracketed):
            hint = "; see the numbers of single runs, which do not count, with --trials" if bracketed else ""
            need_value(con, found, rule, hint)
        if mfu:
            found = as_mfu(con, found, rule)
        units = logged_units(con, found, presentation, unit)
        runs = runs_of(con, found, presentation)
        excluded = excluded_runs(con, filters)
        noted = (*noted, NOTE) if mfu else noted
    found = adopt_unit(adopt_gpu_model(found))
    tables = []
    numbers: list[Row] = []
    for row in found:
        row["shown"] = named(value_text(row), row, cells)
        row["missing"] = None if row["value"] is not None else row["status"].replace("_", " ")
    split = (*TABLE_COLUMNS, "unit", "rule")
    telling = rules_by_kin(found)
    for group in grouped(found, split).values():
        shown = list(filter(asked.shows, group))
        spelt = units.of(group)
        facts = {**facts_of(group[0], split), **({"unit": spelt} if unit else {})}
        assumed = assumed_gpu_note(shown, partial(cell_of, presentation=presentation))
        notes = (
            *trial_notes(shown, presentation),
            *assumed,
            *unstated_note(shown, presentation),
            *left_out_notes(telling, group, rules, presentation),
        )
        left_out = excluded_of(excluded, group[0])
        table = lay_out(group, facts, presentation, asked, notes, spelt, excluded=left_out)
        quoted = remarks(shown, runs, presentation, filter(asked.shows, left_out))
        table = replace(table, remarks=quoted, usual=frozenset({trial_counts(shown, presentation)}))
        if trials:
            table = replace(table, trials=trial_frame(shown, table.rows_split_by, every_trial, presentation))
        tables.append(table)
        numbers.extend(map(without_adopted_gpu, sorted(shown, key=cell_order)))
    frame = frame_of(trial_rows(numbers, every_trial) if trials else numbers)
    return Report("speed", tuple(tables), frame).noted(noted).without_notes(no_notes)
