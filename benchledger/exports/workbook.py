"""Lays out reports as sheets: a list of the sheets, every table as it is shown, and all numbers unrounded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from benchledger.answers.tables.table import Coverage, Table
from benchledger.exports.captions import words_above, words_below
from benchledger.exports.excel import Sheet, sheet_names, write_workbook

if TYPE_CHECKING:
    from benchledger.answers.tables.table import Report

_ABOUT = ("sheet", "what it is", "rule", "source of the rule", "notes", "ledger filled")
_NAMED = ("model", "gpu_model")
_LEADERBOARD = "leaderboard"
_ONE_SHEET = ("model", "task")
_ALL_NUMBERS = "every number of {}, unrounded, one row each; cell is its short name, for bench explain"


def write_reports(
    path: Path, reports: Sequence[Report], sources: Mapping[str, str], filled: datetime, head: str | None = None
) -> None:
    """Writes reports as a workbook; `sources` has the source of each rule, `head` the first line of sheet `about`."""
    sheets: list[Sheet] = []
    about: list[tuple[str, ...]] = []
    when = f"{filled:%Y-%m-%d %H:%M:%S}"

    def add(sheet: Sheet, *description: str) -> None:
        sheets.append(sheet)
        about.append((*description, when))

    for report in map(_as_sheets, reports):
        for table in report.tables:
            name = _name(report, table)
            rules = _rules(table)
            rule_sources = "; ".join(sources[rule] for rule in rules if rule in sources)
            above, below = "; ".join(words_above(report, table)), "; ".join(words_below(report, table))
            add(Sheet(name, table.frame, _numbers(table, table.frame)), above, ", ".join(rules), rule_sources, below)
            if table.trials is not None:
                sheet = Sheet(f"trials {name}", table.trials, _numbers(table, table.trials))
                add(sheet, f"the trials behind the sheet before: {above}", ", ".join(rules), "", "")
        if report.tables:
            sheet = Sheet(f"{report.name} numbers", report.cells, filtered=True)
            add(sheet, _ALL_NUMBERS.format(report.name), "", "", "; ".join(report.notes))
    first_line = [(head, "", "", "", "", when)] if head is not None else []
    listed = sheet_names(["about", *(sheet.name for sheet in sheets)])[1:]
    rows = [*first_line, *((name, *description) for name, description in zip(listed, about, strict=True))]
    rows += [(one.name, "nothing found", "", "", "; ".join(one.notes), when) for one in reports if not one.tables]
    first = Sheet("about", pl.DataFrame(rows, schema=dict.fromkeys(_ABOUT, pl.String), orient="row"))
    write_workbook(path, [first, *sheets], filled)


def _as_sheets(report: Report) -> Report:
    """Returns a report with the tables that are its sheets: a leaderboard has one per model and task."""
    if report.name != _LEADERBOARD:
        return report
    groups: dict[tuple[str | None, ...], list[Table]] = {}
    for table in report.tables:
        groups.setdefault(tuple(table.facts[name] for name in _ONE_SHEET), []).append(table)
    return replace(report, tables=tuple(_one_table(tables) for tables in groups.values()))


def _one_table(tables: Sequence[Table]) -> Table:
    """Returns tables of one model and task as one: their GPU model and unit are columns, and the unit's is `speed`."""
    if len(tables) == 1:
        return tables[0]
    frames = []
    for table in tables:
        unit = table.facts["unit"] or "speed"
        columns = [pl.lit(table.facts[name] or "unknown").alias(name) for name in ("gpu_model", "unit")]
        frames.append(
            table.frame.rename({unit: "speed"} if unit in table.frame.columns else {}).select(*columns, pl.all())
        )
    present, total = (sum(getattr(table.coverage, name) for table in tables) for name in ("present", "total"))
    missing = tuple(gap for table in tables for gap in (table.coverage.missing if table.coverage else ()))
    return Table(
        facts={name: tables[0].facts[name] for name in _ONE_SHEET},
        coverage=Coverage(present, total, missing),
        frame=pl.concat(frames, how="diagonal").fill_null("-"),
        notes=tuple(dict.fromkeys(note for table in tables for note in table.notes)),
        texts=frozenset().union(*(table.texts for table in tables), ("gpu_model", "unit")),
    )


def _name(report: Report, table: Table) -> str:
    """Returns a sheet's name: the report, and the model and GPU if its tables differ in them. Sheet `about` has the
    rest.
    """
    # Excel allows 31 characters: a campaign, which is a path, would leave no room.
    names = _ONE_SHEET if report.name == _LEADERBOARD else _NAMED
    facts = [table.facts.get(fact) for fact in names if fact in report.split_by]
    return " ".join([report.name, *(fact for fact in facts if fact is not None)])


def _numbers(table: Table, frame: pl.DataFrame) -> frozenset[str]:
    return frozenset(frame.columns) - table.texts


def _rules(table: Table) -> list[str]:
    """Returns the rules behind a table's numbers: one for all rows, or one per row."""
    if table.facts.get("rule"):
        return [str(table.facts["rule"])]
    return sorted(set(table.frame["rule"].to_list())) if "rule" in table.frame.columns else []
