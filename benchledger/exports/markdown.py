"""Markdown: tables as GitHub reads them, in which no text from a log is markup.

Cells are not padded, so that a changed number changes its own line only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from benchledger.exports.safe_text import escaped
from benchledger.exports.values import text_rows
from benchledger.exports.words import headings, short_paths, words_above, words_at_end, words_below, words_below_trials

if TYPE_CHECKING:
    import polars as pl

    from benchledger.answers.tables import Report, Table

# A backslash makes any of these a plain sign. An underscore within a word (bert_base) is one already.
_SIGNS = re.compile(r"[\\`*\[\]|~]|(?<![0-9A-Za-z])_|_(?![0-9A-Za-z])")
_RULES = {"left": "---", "center": ":---:", "right": "---:"}
# An & alone is one; before a name or number with a semicolon it would be part of a sign.
_AMPERSAND = re.compile(r"&(?=#?\w+;)")
# GitHub sets what stands between two $ as maths.
_ENTITIES = str.maketrans({"<": "&lt;", ">": "&gt;", "$": "&#36;"})
# It makes links of the addresses of mails, and of names of its users.
_AT = re.compile(r"(?<![0-9A-Za-z])@|@(?=[0-9A-Za-z_-]+\.)")
# GitHub makes links of bare addresses.
_ADDRESS = re.compile(r"://|\bwww\.", re.IGNORECASE)
# What makes a line a heading, a list, a quotation or a rule: a sign or a number at its beginning.
_OPENING = re.compile(r"^(\s*)([-+#=]|\d+(?=[.)]))")
_NUMBER = re.compile(r"[-+]?\d[\d,.]*(e[-+]?\d+)?%?", re.IGNORECASE)


def markdown_of_frame(frame: pl.DataFrame) -> str:
    """A frame as one table; numbers to the right."""
    right = [kind.is_numeric() for kind in frame.schema.values()]
    return markdown_table(frame.columns, text_rows(frame), right)


def markdown_of_report(report: Report) -> str:
    """Every table of a report between what is said above and below it."""
    from benchledger.exports.prose import markdown_of_prose

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
    """A table of cells as text; `right` says which columns stand to the right, unless all are to `align` alike."""
    head = _row([markdown_text(column) for column in columns])
    rule = _row([_RULES[align or ("right" if to_the_right else "left")] for to_the_right in right])
    return "\n".join([head, rule, *(_row([markdown_text(cell) for cell in row]) for row in rows)])


def markdown_text(text: str) -> str:
    """Text as Markdown that shows just this text, on one line."""
    plain = _AMPERSAND.sub("&amp;", escaped(text)).translate(_ENTITIES)
    shown = _AT.sub("&#64;", _SIGNS.sub(lambda sign: "\\" + sign[0], plain))
    return _ADDRESS.sub(lambda found: found[0].replace("/", "\\/").replace(".", "\\."), shown).strip()


def markdown_line(text: str) -> str:
    """Text as a line of its own: no heading, list or rule, whatever it begins with."""
    return _OPENING.sub(
        lambda found: found[1] + ("\\" + found[2] if not found[2].isdigit() else found[2] + "\\"), markdown_text(text)
    )


def _above(report: Report, table: Table) -> list[str]:
    """The words above a table, of which a layout's headings are headings."""
    marks = ["#" * level + " " for level, _ in headings(report, table)]
    lines = []
    for number, line in enumerate(words_above(report, table)):
        mark = marks[number] if number < len(marks) else "> " if line == table.above.unit else ""
        lines.append(mark + markdown_line(line))
    return lines


def _short(report: Report, frame: pl.DataFrame) -> pl.DataFrame:
    """The leaderboard with long campaigns, which are paths, by their last folders."""
    if report.name != "leaderboard":
        return frame
    shown = short_paths([name for table in report.tables for name in table.frame["campaign"].to_list()])
    return frame.with_columns(campaign=frame["campaign"].replace_strict(shown))


def _quoted(remarks: Sequence[str]) -> list[str]:
    """Remarks under their heading, as one quotation."""
    if not remarks:
        return []
    return ["\n".join([f"> {markdown_line(remarks[0])}", ">", *(f"> - {markdown_line(line)}" for line in remarks[1:])])]


def _list(lines: Sequence[str]) -> list[str]:
    return ["\n".join(f"- {markdown_line(line)}" for line in lines)] if lines else []


def number_columns(frame: pl.DataFrame) -> list[bool]:
    """Which columns of a frame of text hold numbers."""
    return [any(_NUMBER.fullmatch(cell) for cell in frame[name].to_list()) for name in frame.columns]


def _text_table(frame: pl.DataFrame, align: str | None = None) -> str:
    return markdown_table(frame.columns, text_rows(frame), number_columns(frame), align)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
