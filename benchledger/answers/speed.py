"""The speed table: samples per second of every case, cards by precision and batch size, as README 000 prints it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from benchledger.answers.asked import read_asked
from benchledger.answers.cells import cell_text, named
from benchledger.answers.covered import unstated_note
from benchledger.answers.excluded import excluded_notes, excluded_of, excluded_runs
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
)
from benchledger.answers.lent_cards import count_lent, lent_note
from benchledger.answers.look import look_of
from benchledger.answers.published import published_report, refuse_beside
from benchledger.answers.reading import reading
from benchledger.answers.remarks import remarks, runs_of
from benchledger.answers.rules import left_out_notes, need_value, rows_by_rule, rules_asked_for, rules_by_kin
from benchledger.answers.series import all_series, frame_of, need_series
from benchledger.answers.tables import Report
from benchledger.answers.trials import any_number, cell_of, trial_frame, trial_notes, trial_rows, trials_of
from benchledger.answers.units import logged_units
from benchledger.answers.unruled import unruled_notes
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
    **case_columns: object,
) -> Report:
    """The speed of every series, one table per campaign, framework, implementation, model, task, GPU model and unit.

    `campaign` and text columns may be globs. Each format's default rule counts unless `rule` names one, or several as
    a glob; `trials` lists every trial beside mean and median. `layout` and `lang` say how tables are headed, `columns`
    (`"fp32:32,fp32:max"`) and `rows` (`"1,8"`) what they hold, `unit` how their unit is spelt; `cells` adds each
    number's name. `published` shows what documents with such a source printed, instead of what was measured. Raises
    NothingFoundError if no series meets the filters, UsageError for an unknown rule or column.
    """
    filters = read_filters(campaign, case_columns, extra=["gpu_model"])
    look = look_of("speed", layout, lang)
    asked = read_asked(look, columns, rows)
    if published is not None:
        refuse_beside(published, trials=trials, unit=unit, cells=cells)
        answer = published_report(db, look, published, filters, rule=rule, columns=columns, rows=rows)
        return answer.without_notes(no_notes)
    with reading(db) as con:
        rules = rules_asked_for(con, rule)
        series = all_series(con)
        need_series(con, db, series, filters)
        found = rows_by_rule(filters.apply(con.view("speed_table")), rule)
        unruled = unruled_notes(con, filters, found, look)
        every_trial = trials_of(con, found)
        count_lent(con, found)
        bracketed = any_number(found, every_trial)
        if not (trials and bracketed):
            hint = "; see the numbers of single runs, which do not count, with --trials" if bracketed else ""
            need_value(con, found, rule, hint)
        units = logged_units(con, found, look, unit)
        runs = runs_of(con, found, look)
        excluded = excluded_runs(con, filters)
        noted = (*unruled, *excluded_notes(con, filters, look))
    found = take_in_failures(take_in_unstated(found))
    tables = []
    numbers: list[Row] = []
    for row in found:
        row["shown"] = named(cell_text(row["value"], row["status"]), row, cells)
        row["missing"] = None if row["value"] is not None else row["status"].replace("_", " ")
    split = (*TABLE_COLUMNS, "unit", "rule")
    telling = rules_by_kin(found)
    for group in grouped(found, split).values():
        shown = list(filter(asked.shows, group))
        spelt = units.of(group)
        facts = {**facts_of(group[0], split), **({"unit": spelt} if unit else {})}
        lent = lent_note(shown, partial(cell_of, look=look))
        notes = (
            *trial_notes(shown, look),
            *lent,
            *unstated_note(shown, look),
            *left_out_notes(telling, group, rules, look),
        )
        left_out = excluded_of(excluded, group[0])
        table = lay_out(group, facts, look, asked, notes, spelt, excluded=left_out)
        table = replace(table, remarks=remarks(shown, runs, look, filter(asked.shows, left_out)))
        if trials:
            table = replace(table, trials=trial_frame(shown, table.rows_split_by, every_trial, look))
        tables.append(table)
        numbers.extend(map(as_stated, sorted(shown, key=cell_order)))
    frame = frame_of(trial_rows(numbers, every_trial) if trials else numbers)
    return Report("speed", tuple(tables), frame).noted(noted).without_notes(no_notes)
