"""Splits a line into constant text and marks of values: lines that differ only in values have one shape."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from benchledger.scanning.patterns import DURATION, FLOAT, NUMBER_END, STAMP, TIME
from benchledger.scanning.values import ANSI

_NUMBER = FLOAT.decode()
_END = NUMBER_END.decode()
# Text directly behind a number: a unit, a sign or nothing. `3d_conv` and `8gpu_run` are words.
_UNIT_AFTER = r"(?![A-Za-z_]*[0-9_])"
_DATES = (
    r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? [A-Z][a-z]{2} +[0-9]{1,2} [0-9:]{8}(?: [A-Z]{2,4})? [0-9]{4}",
    r"\b[0-9]{1,4}[-/][0-9]{1,2}[-/][0-9]{1,4}\b",
    r"\b[0-9]{1,2}/[0-9]{1,2}(?= [0-9]{1,2}:)",
)
_PLACES = (
    r"\b[a-z][a-z0-9+]{1,9}://[^\s,;'\")\]]+",
    r"(?<![\w.])(?:~|\.{1,2})?(?:/[\w.@:+=~%-]+){2,}/?",
    r"(?<![\w.-])[\w.-]++(?!/s/|/sec/)(?:/[\w.+=-]+){2,}",
    r"\b0x[0-9a-fA-F]+\b",
    r"\b(?=[a-f]*[0-9])[0-9a-f]{12,}\b",
    r"\b[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?::[0-9]+)?\b",
)
# Words of a place in a run to which its number is glued: `[r0]`, `rank3`, `e2`, `epoch12`.
_GLUED = ("r", "rank", "gpu", "node", "worker", "e", "ep", "epoch", "it", "iter", "step")
_BEHIND = "|".join(rf"(?<=\b{word})" for word in _GLUED)
_NUMBERS = (
    rf"(?<![\w.@])(?<![\w)][+-])[+-]?{_NUMBER}(?<!\.){_END}{_UNIT_AFTER}",
    rf"(?:{_BEHIND})[0-9]{{1,9}}(?![\w.])",
    # Before a slash that belongs to the template: `3/100`, `3 / 100`, `149.9/s`.
    r"(?<![\w.])[0-9]+(?:\.[0-9]+)?(?=/ *[0-9A-Za-z])",
)
# In this order; each alternative is a named group.
_KINDS = {
    "ansi": "\x00+",
    "drawn": r"\[[=>.# -]{6,}\]|[─-▟]{2,}\x00*(?:[\x00 ]*[─-▟])*\x00*",
    "time": rf"{TIME.decode()}(?![0-9])",
    "date": "|".join(_DATES),
    "stamp": rf"(?<=[IWEF]){STAMP.decode()}",
    "duration": rf"(?<![0-9.:]){DURATION.decode()}(?![0-9:])",
    "place": "|".join(_PLACES),
    "bar": r"(?<=%)\|[^|\r\n]{0,120}\|",
    "text": r"\[\s*-?[0-9.][0-9.e+-]*(?:,\s*-?[0-9.][0-9.e+-]*)+\s*\]",
    "thousands": rf"(?<![\w.])(?:(?<![\w)])[+-])?[0-9]{{1,3}}(?:,[0-9]{{3}})+(?:\.[0-9]+)?(?![.,]?[0-9]){_UNIT_AFTER}",
    "nan": r"(?:(?<=[:=(,\[])|(?<=[:=] ))[+-]?(?:nan|inf|NaN|Inf|None|null)(?![\w.])",
    "number": "|".join(_NUMBERS),
}
_COLOUR = re.compile(ANSI.pattern.decode())
_MARKS = re.compile("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in _KINDS.items()))
_BLANKS = re.compile(r"[ \t]+")
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}\Z")


@dataclass(frozen=True)
class Mark:
    """The place of a value in a line. `type` is that of a hole, `bar` or `drawn` (progress), or `ansi` (colour)."""

    type: str
    start: int
    end: int


@dataclass(frozen=True)
class Masked:
    """A line, its number, and its marks."""

    number: int
    text: str
    marks: tuple[Mark, ...]

    @property
    def literals(self) -> list[str]:
        """The text before, between and behind the marks: one more than there are marks."""
        ends = [0, *(mark.end for mark in self.marks)]
        starts = [*(mark.start for mark in self.marks), len(self.text)]
        return [self.text[end:start] for end, start in zip(ends, starts, strict=True)]

    def tail(self, at: int) -> bytes:
        """Returns the text from a position on as lists are read: without colours."""
        return ANSI.sub(b"", self.text[at:].encode())

    @property
    def key(self) -> tuple[str, ...]:
        """The parts that lines of one shape share: literals (blanks reduced to one) and kinds of values."""
        kinds = ["number" if mark.type in NUMBERS else mark.type for mark in self.marks]
        texts = [_BLANKS.sub(" ", literal) for literal in self.literals]
        return tuple(part for pair in zip(texts, [*kinds, ""], strict=True) for part in pair)

    def number_at(self, index: int) -> float | None:
        mark = self.marks[index]
        try:
            return float(self.text[mark.start : mark.end].replace(",", ""))
        except ValueError:
            return None


@dataclass
class Shape:
    """Lines that differ only in values: some of the lines, their count, and the numbers at their marks."""

    lines: list[Masked] = field(default_factory=list)
    count: int = 0
    first: int = 0
    last: int = 0

    def add(self, line: Masked) -> None:
        self.first = self.first if self.count else line.number
        self.last = line.number
        self.count += 1
        if len(self.lines) < KEPT:
            self.lines.append(line)

    def type_at(self, index: int) -> str:
        types = {line.marks[index].type for line in self.lines}
        return next(iter(types)) if len(types) == 1 else number_type(types)

    def numbers_at(self, index: int) -> list[float]:
        return [number for line in self.lines if (number := line.number_at(index)) is not None]


KEPT = 400
NUMBERS = ("int", "float", "int,", "float,")


def masked(number: int, text: str) -> Masked:
    marks = []
    # A colour code must not look like a letter before the number behind it.
    for match in _MARKS.finditer(_COLOUR.sub(lambda colour: "\x00" * len(colour.group()), text)):
        kind = match.lastgroup or ""
        start, end = match.span(kind)
        marks.append(Mark(_type(kind, match.group(kind)), start, end))
    return Masked(number, text, tuple(marks))


def shapes(lines: Sequence[str]) -> dict[tuple[str, ...], Shape]:
    found: dict[tuple[str, ...], Shape] = {}
    for number, text in enumerate(lines, start=1):
        if text:
            line = masked(number, text)
            found.setdefault(line.key, Shape()).add(line)
    return found


def _type(kind: str, text: str) -> str:
    if kind in ("date", "place"):
        return "text" if " " in text else "word"
    if kind == "number":
        return "int" if _WHOLE.match(text) else "float"
    if kind == "thousands":
        return "float," if "." in text else "int,"
    return "float" if kind == "nan" else kind


def number_type(types: Collection[str]) -> str:
    """Returns the type of hole that matches numbers of all these types."""
    return ("float" if any("float" in one for one in types) else "int") + "," * any("," in one for one in types)
