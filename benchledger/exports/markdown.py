"""Writes Markdown tables for GitHub, in which no text from a log acts as markup.

Cells are not padded, so that a changed number changes only its own line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from benchledger.answers.tables.table import Kind, Line
from benchledger.exports.captions import (
    headings,
    short_paths,
    words_above,
    words_at_end,
    words_below,
    words_below_trials,
)
from benchledger.exports.values import escaped, escaped_lines, text_rows

if TYPE_CHECKING:
    import polars as pl

    from benchledger.answers.tables.table import Report, Table

_RULES = {"left": "---", "center": ":---:", "right": "---:"}
_NUMBER = re.compile(r"[-+]?\d[\d,.]*(e[-+]?\d+)?%?", re.IGNORECASE)
# Characters that need a backslash. An underscore within a word (bert_base) is plain text already.
_SIGNS = re.compile(r"[\\`*\[\]|~]|(?<![0-9A-Za-z])_|_(?![0-9A-Za-z])")
# An & acts as markup only before a name or number with a semicolon (an entity).
_AMPERSAND = re.compile(r"&(?=#?\w+;)")
# GitHub renders text between two $ as maths.
_ENTITIES = str.maketrans({"<": "&lt;", ">": "&gt;", "$": "&#36;"})
# GitHub makes links of mail addresses and of user names after an @.
_AT = re.compile(r"(?<![0-9A-Za-z])@|@(?=[0-9A-Za-z_-]+\.)")
# GitHub makes links of bare addresses.
_ADDRESS = re.compile(r"://|\bwww\.", re.IGNORECASE)
# A sign or number at the beginning makes a line a heading, a list, a quotation or a rule.
_OPENING = re.compile(r"^(\s*)([-+#=]|\d+(?=[.)]))")
_TICKS = re.compile("`+")


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


def markdown_text(text: str) -> str:
    """Returns text as Markdown that shows exactly this text, on one line."""
    plain = _AMPERSAND.sub("&amp;", escaped(text)).translate(_ENTITIES)
    shown = _AT.sub("&#64;", _SIGNS.sub(lambda sign: "\\" + sign[0], plain))
    return _ADDRESS.sub(lambda found: found[0].replace("/", "\\/").replace(".", "\\."), shown).strip()


def markdown_line(text: str) -> str:
    """Returns text as a line of its own: never a heading, list or rule, whatever it begins with."""
    return _OPENING.sub(
        lambda found: found[1] + ("\\" + found[2] if not found[2].isdigit() else found[2] + "\\"), markdown_text(text)
    )


def markdown_of_prose(lines: Iterable[Line]) -> str:
    """Returns lines as Markdown: consecutive items or quotes form one block, every other line its own."""
    blocks: list[str] = []
    for kind, group in groupby(lines, key=lambda line: line.kind):
        written = [_written(line) for line in group]
        blocks += ["\n".join(written)] if kind in (Kind.ITEM, Kind.QUOTE) else written
    return "\n\n".join(blocks)


def _written(line: Line) -> str:
    if line.kind is Kind.BLOCK:
        # The fence must be longer than any run of back quotes in the text. nvidia-smi separates its columns by tabs.
        fence = "`" * max(3, _longest_run(line.text) + 1)
        return f"{fence}text\n{escaped_lines(line.text.expandtabs())}\n{fence}"
    marks = {Kind.HEADING: "#" * line.depth + " ", Kind.ITEM: "  " * line.depth + "- ", Kind.QUOTE: "> "}
    framework = markdown_text(line.framework)
    before, after = (part.replace("[framework]", framework) for part in (line.before, line.after))
    return marks.get(line.kind, "") + before + _value(line) + after


def _value(line: Line) -> str:
    if line.code:
        text = escaped(line.text)
        ticks = "`" * (_longest_run(text) + 1)
        space = " " if text.startswith("`") or text.endswith("`") else ""
        return f"{ticks}{space}{text}{space}{ticks}"
    text = markdown_text(line.text) if line.before else markdown_line(line.text)
    return text if line.link is None else f"[{text}]({line.link})"


def _longest_run(text: str) -> int:
    return max(map(len, _TICKS.findall(text)), default=0)
