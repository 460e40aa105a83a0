"""What is said above and below the tables of a report, in every form that has room for words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchledger.answers.tables import Report, Table

_BRACKETS = "in brackets: the number of a trial that does not count"


def words_above(report: Report, table: Table) -> list[str]:
    """The report's name with the facts that the table's numbers share, and by what tables and rows are split."""
    facts = [f"{fact} {'unknown' if value is None else value}" for fact, value in table.facts.items()]
    lines = [f"{report.name}: {'; '.join(facts)}" if facts else report.name]
    if report.split_by:
        lines.append(f"one of {len(report.tables)} tables, split by {', '.join(report.split_by)}")
    if table.rows_split_by:
        lines.append(f"rows split by {', '.join(table.rows_split_by)}")
    return lines


def words_below(table: Table) -> list[str]:
    """How much of the table has a number, and its notes."""
    return [*([] if table.coverage is None else [str(table.coverage)]), *table.notes]


def words_below_trials(table: Table) -> list[str]:
    """What brackets mean, where there are some."""
    if table.trials is None:
        return []
    trials = [name for name in table.trials.columns if name.startswith("trial ")]
    bracketed = any(cell.startswith("(") for name in trials for cell in table.trials[name])
    return [_BRACKETS] if bracketed else []
