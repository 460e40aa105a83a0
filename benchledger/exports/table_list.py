"""The list of a report's tables, which is printed in place of more tables than a screen can show."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from benchledger.answers.filters import CASE_COLUMNS, MACHINE_COLUMNS, UNKNOWN
from benchledger.answers.tables.table import Report, Table, text_frame
from benchledger.errors import counted
from benchledger.exports.captions import short_paths

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST = 12
# Rows of the list, and lines of the list and the filters, so that they fit a screen.
_ROWS, _LINES = 20, 30
_FILTERS = (*CASE_COLUMNS, *MACHINE_COLUMNS, "campaign", "rule")
# Values of a filter that are named.
_NAMED = 3


def is_long(report: Report) -> bool:
    return len(report.tables) > MOST and not report.prose


def table_list(report: Report) -> Report:
    """Returns a report of one table: a row per table of another one, the fullest first, and the filters that part them.

    Of many tables only the first rows are shown, with the number of the others.
    """
    # A rule follows from the format, and a path is the widest: last.
    names = sorted(report.split_by, key=lambda name: (name == "rule", name == "campaign"))
    ordered = sorted(report.tables, key=lambda table: -_numbers(table))
    filters = [_filter(name, report.tables) for name in names if name in _FILTERS]
    shown = ordered[: min(_ROWS, _LINES - len(filters))]
    paths = short_paths([table.facts.get("campaign") or "" for table in shown])
    lines = [[str(_numbers(table)), *(_text(table, name, paths) for name in names)] for table in shown]
    more = len(ordered) - len(lines)
    notes = [f"and {counted(more, 'more table')}"] if more else []
    notes += ["print all tables with --all, or fewer with filters:", *filters]
    # If no table counts its cells, count the rows.
    counts = "rows" if all(table.coverage is None for table in ordered) else "numbers"
    listed = Table(
        facts={"tables": str(len(ordered))},
        coverage=None,
        frame=text_frame([counts, *names], lines),
        notes=tuple(notes),
        texts=frozenset(names),
    )
    return Report(report.name, (listed,), report.cells, report.notes, bare=report.bare)


def _numbers(table: Table) -> int:
    return table.frame.height if table.coverage is None else table.coverage.present


def _text(table: Table, name: str, paths: dict[str, str]) -> str:
    value = table.facts.get(name)
    if value is None:
        return UNKNOWN
    return paths[value] if name == "campaign" else value


def _filter(name: str, tables: Sequence[Table]) -> str:
    counts = Counter(table.facts.get(name) for table in tables)
    option = f"--{name.replace('_', '-')}"
    if name == "campaign":
        return f"{option} GLOB: {len(counts)} campaigns"
    listed = [f"{UNKNOWN if value is None else value} ({count})" for value, count in counts.most_common(_NAMED)]
    more = len(counts) - len(listed)
    return f"{option} {', '.join(listed)}" + (f" and {more} more" if more > 0 else "")
