"""What is said above and below the tables of a report, in every form that has room for words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchledger.answers.tables import Report, Table

_BRACKETS = "in brackets: the number of a trial that does not count"


def words_above(report: Report, table: Table) -> list[str]:
    """The report's name with the facts that the table's numbers share, and by what tables and rows are split.

    A layout's headings stand in their place, and the unit; only the facts that tell this table from the others stay.
    """
    if table.above:
        lines = [text for _, text in headings(report, table)]
        lines += [_facts(table, report.split_by)] if report.split_by else []
    else:
        lines = [f"{report.name}: {_facts(table)}" if table.facts else report.name]
        if report.split_by:
            lines.append(f"one of {len(report.tables)} tables, split by {', '.join(report.split_by)}")
    if table.rows_split_by:
        lines.append(f"rows split by {', '.join(table.rows_split_by)}")
    return [*lines, *([table.above.unit] if table.above.unit else [])]


def headings(report: Report, table: Table) -> list[tuple[int, str]]:
    """What a layout heads a table with, each with its level: the section, where it begins, and the title."""
    place = next(number for number, other in enumerate(report.tables) if other is table)
    goes_on = place > 0 and report.tables[place - 1].above.section == table.above.section
    section = [] if table.above.section is None or goes_on else [(3, table.above.section)]
    title = [] if table.above.title is None else [(3 if table.above.section is None else 4, table.above.title)]
    return [*section, *title]


def words_below(table: Table, quoted: bool = False) -> list[str]:
    """How much of the table has a number, and its notes; before them its facts, where a title stands above it.

    First of all its remarks, unless they are `quoted` elsewhere.
    """
    facts = [_facts(table)] if table.above and table.facts else []
    remarks = () if quoted else table.remarks
    return [*remarks, *facts, *([] if table.coverage is None else [str(table.coverage)]), *table.notes]


def _facts(table: Table, names: Sequence[str] | None = None) -> str:
    facts = {name: value for name, value in table.facts.items() if names is None or name in names}
    return "; ".join(f"{fact} {'unknown' if value is None else value}" for fact, value in facts.items())


def words_below_trials(table: Table) -> list[str]:
    """What brackets mean, where there are some."""
    if table.trials is None:
        return []
    trials = [name for name in table.trials.columns if name.startswith("trial ")]
    bracketed = any(cell.startswith("(") for name in trials for cell in table.trials[name])
    return [_BRACKETS] if bracketed else []
