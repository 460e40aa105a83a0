"""The sheets of reports: what each is, every table as it is laid out, and all numbers unrounded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from benchledger.exports.excel import Sheet, write_workbook
from benchledger.exports.words import words_above, words_below

if TYPE_CHECKING:
    import polars as pl

    from benchledger.answers.tables import Report, Table

_ABOUT = ("sheet", "what it is", "rule", "source of the rule", "notes", "ledger filled")
_ALL_NUMBERS = "every number of {}, unrounded, one row each; cell is its short name, for bench explain"


def write_reports(path: Path, reports: Sequence[Report], sources: Mapping[str, str], filled: datetime) -> None:
    """Writes reports as a workbook; `sources` tells for each rule where it comes from."""
    import polars as pl

    sheets: list[Sheet] = []
    about: list[tuple[str, ...]] = []
    when = f"{filled:%Y-%m-%d %H:%M:%S}"
    for report in reports:
        for number, table in enumerate(report.tables, start=1):
            name = report.name if len(report.tables) == 1 else f"{report.name} {number}"
            rules = _rules(table)
            told = [sources[rule] for rule in rules if rule in sources]
            above, below = "; ".join(words_above(report, table)), "; ".join(words_below(report, table))
            about.append((name, above, ", ".join(rules), "; ".join(told), below, when))
            sheets.append(Sheet(name, table.frame, _numbers(table, table.frame)))
            if table.trials is not None:
                about.append((f"{name} trials", f"the trials behind {name}", ", ".join(rules), "", "", when))
                sheets.append(Sheet(f"{name} trials", table.trials, _numbers(table, table.trials)))
        if report.tables:
            name = f"{report.name} numbers"
            about.append((name, _ALL_NUMBERS.format(report.name), "", "", "; ".join(report.notes), when))
            sheets.append(Sheet(name, report.cells))
        else:
            about.append((report.name, "nothing found", "", "", "; ".join(report.notes), when))
    first = Sheet("about", pl.DataFrame(about, schema=dict.fromkeys(_ABOUT, pl.String), orient="row"))
    write_workbook(path, [first, *sheets], filled)


def _numbers(table: Table, frame: pl.DataFrame) -> frozenset[str]:
    return frozenset(frame.columns) - table.texts


def _rules(table: Table) -> list[str]:
    """The rules that a table's numbers are made by: one for all, or one a row."""
    if table.facts.get("rule"):
        return [str(table.facts["rule"])]
    return sorted(set(table.frame["rule"].to_list())) if "rule" in table.frame.columns else []
