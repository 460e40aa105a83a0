"""Writes the lines of a page as Markdown, in which no text from a log acts as markup."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby

from benchledger.answers.tables.table import Kind, Line
from benchledger.exports.markdown_text import markdown_line, markdown_text
from benchledger.exports.safe_text import escaped, escaped_lines

_TICKS = re.compile("`+")


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
    return marks.get(line.kind, "") + line.before + _value(line) + line.after


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
