"""Finds and fills the blocks of a Markdown page that hold answers.

<!-- bench report speed --campaign X -->
output of the command
<!-- /bench -->
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchledger.errors import UsageError

END = "<!-- /bench -->"
# A marker begins its line, as Markdown requires of a comment block. Four spaces would make it code.
_OPENS = re.compile(r" {0,3}<!--\s*bench\s")
_ENDS = re.compile(r" {0,3}<!--\s*/bench\s*-->\s*$")
_COMMENT = re.compile(r"\s*<!--\s*(bench\s.*?)\s*-->\s*$", re.DOTALL)
_STRAY = re.compile(r"<!--\s*/?bench\b")
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})(.*)$")


@dataclass(frozen=True)
class Block:
    """The text between two markers: the command of the first, and its lines `start` to `end` (from 0, end excluded)."""

    line: int
    command: str
    start: int
    end: int


@dataclass(frozen=True)
class Page:
    """A page that was written or checked: its number of blocks, the lines of changed blocks, and their diff."""

    path: Path
    blocks: int
    changed: tuple[int, ...]
    diff: str


def lines_of(text: str) -> list[str]:
    return list(io.StringIO(text, newline=""))


def find_blocks(lines: Sequence[str], place: str) -> list[Block]:
    """Returns the blocks of a page in order. Markers in fenced or indented code are examples and are skipped.

    Raises UsageError with place, line and cure for a marker without its counterpart, or one amid a line.
    """
    blocks: list[Block] = []
    opened: tuple[int, int, str] | None = None
    comment_end = 0
    for number, line in _outside_of_code(lines):
        if number < comment_end:
            continue
        if _OPENS.match(line):
            if opened is not None:
                raise UsageError(f"{place}:{opened[0] + 1}: this block is not closed before the next one starts, in "
                                 f"line {number + 1}. End it with a line {END}")  # fmt: skip
            command, comment_end = _command(lines, number, place)
            opened = (number, comment_end, command)
        elif _ENDS.match(line):
            if opened is None:
                raise UsageError(f"{place}:{number + 1}: {END} has no start marker. Start the block with a line "
                                 "such as <!-- bench report speed -->, or take this line out")  # fmt: skip
            blocks.append(Block(opened[0] + 1, opened[2], opened[1], number))
            opened = None
        elif opened is None and _STRAY.search(line) and "`" not in line:
            raise UsageError(f"{place}:{number + 1}: a marker needs its own line: put nothing before or after "
                             "it, or write it as `code` if it is to be shown")  # fmt: skip
    if opened is not None:
        raise UsageError(f"{place}:{opened[0] + 1}: this block is not closed. End it with a line {END}")
    return blocks


def with_answers(lines: Sequence[str], blocks: Sequence[Block], answers: Sequence[str]) -> str:
    """Returns the page with an answer in each block, in its marker's line ends; all other bytes stay the same."""
    parts: list[str] = []
    copied = 0
    for block, answer in zip(blocks, answers, strict=True):
        parts += lines[copied : block.start]
        marker = lines[block.start - 1]
        line_end = marker[len(marker.rstrip("\r\n")) :]
        # Markdown needs an empty line on either side: otherwise the table would belong to the comment.
        parts += [text + line_end for text in ("", *_harmless(answer).split("\n"), "")]
        copied = block.end
    return "".join([*parts, *lines[copied:]])


def _outside_of_code(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    fence = ""
    for number, line in enumerate(lines):
        text = line.rstrip("\r\n").removeprefix("\ufeff" if number == 0 else "")
        found = _FENCE.match(text)
        if fence:
            closes = found is not None and found[1].startswith(fence) and not found[2].strip()
            fence = "" if closes else fence
        elif found is not None:
            fence = found[1]
        elif not text.startswith(("    ", "\t")):
            yield number, text


def _command(lines: Sequence[str], number: int, place: str) -> tuple[str, int]:
    """Returns the command of the marker that begins in a line, and the number of the line after the marker."""
    for end in range(number + 1, len(lines) + 1):
        text = "".join(lines[number:end]).removeprefix("\ufeff")
        if "-->" in text:
            comment = _COMMENT.match(text)
            if comment is None or "-->" in comment[1]:
                raise UsageError(f"{place}:{end}: nothing may follow --> on the marker's line")
            return re.sub(r"\s*[\r\n]\s*", " ", comment[1].strip()), end
    raise UsageError(f"{place}:{number + 1}: this marker has no end: close it with -->")


def _harmless(answer: str) -> str:
    # Text of a log that looks like a marker would end the block, and the next answer would make the page grow.
    return answer.replace("<!--", "&lt;!--").replace("\r", "")
