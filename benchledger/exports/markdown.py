"""Writes Markdown tables for GitHub, in which no text from a log acts as markup.

Cells are not padded, so that a changed number changes only its own line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from benchledger.exports.captions import (
    headings,
    short_paths,
    words_above,
    words_at_end,
    words_below,
    words_below_trials,
)
from benchledger.exports.markdown_text import markdown_line, markdown_text
from benchledger.exports.prose import markdown_of_prose
from benchledger.exports.values import text_rows

if TYPE_CHECKING:
    import polars as pl

    from benchledger.answers.tables.table import Report, Table

_RULES = {"left": "---", "center": ":---:", "right": "---:"}
_NUMBER = re.compile(r"[-+]?\d[\d,.]*(e[-+]?\d+)?%?", re.IGNORECASE)


def markdown_of_frame(frame: pl.DataFrame) -> str:
    right = [kind.is_numeric() for kind in frame.schema.values()]
    return markdown_table(frame.columns, text_rows(frame), right)


def markdown_of_report(report: Report) -> str:
    blocks: list[str] = [markdown_of_prose(report.prose)] if report.prose else []
    for table in () if report.prose else report.tables:
        blocks += _above(report, table)
        blocks.append(_text_table(_short(report, table.frame), table.above.align))
        blocks += _quoted(table.remarks)
        blocks += _list(words_below(report, table, quoted=True))
        if table.trials is not None:
            blocks.append(_text_table(table.trials))
            blocks += _list(words_below_trials(table))
    return "\n\n".join([*blocks, *_list(words_at_end(report))])


def markdown_table(
    columns: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[bool], align: str | None = None
) -> str:
    """Returns a table of text cells. `right` marks the right-aligned columns; `align` overrides it for all columns."""
    head = _row([markdown_text(column) for column in columns])
    rule = _row([_RULES[align or ("right" if to_the_right else "left")] for to_the_right in right])
    return "\n".join([head, rule, *(_row([markdown_text(cell) for cell in row]) for row in rows)])


def _above(report: Report, table: Table) -> list[str]:
    """Returns the lines above a table; a layout's headings become Markdown headings."""
    marks = ["#" * level + " " for level, _ in headings(report, table)]
    lines = []
    for number, line in enumerate(words_above(report, table)):
        mark = marks[number] if number < len(marks) else "> " if line == table.above.unit else ""
        lines.append(mark + markdown_line(line))
    return lines


def _short(report: Report, frame: pl.DataFrame) -> pl.DataFrame:
    """Shortens long campaign paths in the leaderboard to their last folders."""
    if report.name != "leaderboard" or "campaign" not in frame.columns:
        return frame
    shown = short_paths([name for table in report.tables for name in table.frame["campaign"].to_list()])
    return frame.with_columns(campaign=frame["campaign"].replace_strict(shown))


def _quoted(remarks: Sequence[str]) -> list[str]:
    """Returns the remarks as one quotation: the first line is its heading."""
    if not remarks:
        return []
    return ["\n".join([f"> {markdown_line(remarks[0])}", ">", *(f"> - {markdown_line(line)}" for line in remarks[1:])])]


def _list(lines: Sequence[str]) -> list[str]:
    return ["\n".join(f"- {markdown_line(line)}" for line in lines)] if lines else []


def number_columns(frame: pl.DataFrame) -> list[bool]:
    return [any(_NUMBER.fullmatch(cell) for cell in frame[name].to_list()) for name in frame.columns]


def _text_table(frame: pl.DataFrame, align: str | None = None) -> str:
    return markdown_table(frame.columns, text_rows(frame), number_columns(frame), align)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
