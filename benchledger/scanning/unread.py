"""Unread lines: those that no record and no ignore of a format takes, and that hold a measurement.

A measurement is a word (`loss`, `time`) beside a number, or a number beside a unit (`img/s`): see
schema/vocabulary/measures.toml. native/unread.c does the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

from benchledger.definitions.vocabulary import vocabulary

# Of a line only its beginning is compared and kept.
SAMPLE = 400
# Further layouts of a log are counted together.
MOST_LAYOUTS = 50
_REMEMBERED = 4_096

_SUBLINES = re.compile(rb"[^\r\n]++")
_NUMBERS = re.compile(rb"[+-]?[0-9]+(?:[.,:/_-]?[0-9]+)*(?:[eE][+-]?[0-9]+)?")
_BLANKS = re.compile(rb"[ \t]+")
_DIGITS = bytes.maketrans(b"123456789", b"0" * 9)


@dataclass(slots=True)
class UnreadLayout:
    """Unread lines that differ only in numbers and blanks: their count, the first one's number and beginning."""

    lines: int
    line: int
    text: bytes


@dataclass
class UnreadLines:
    """The unread lines of a log by their layout; b"" stands for all layouts beyond the first ones."""

    layouts: dict[bytes, UnreadLayout] = field(default_factory=dict)
    _known: dict[bytes, bytes] = field(default_factory=dict)

    @property
    def lines(self) -> int:
        return sum(layout.lines for layout in self.layouts.values())

    def add(self, line: int, text: bytes) -> None:
        text = text[:SAMPLE]
        digits = text.translate(_DIGITS)
        key = self._known.get(digits)
        if key is None:
            key = _BLANKS.sub(b" ", _NUMBERS.sub(b"0", text))
            if len(self._known) < _REMEMBERED:
                self._known[digits] = key
        if key not in self.layouts and len(self.layouts) >= MOST_LAYOUTS:
            key = b""
        layout = self.layouts.get(key)
        if layout is None:
            self.layouts[key] = UnreadLayout(1, line, text)
        else:
            layout.lines += 1


def is_measurement(text: bytes) -> bool:
    return _measurement().search(text) is not None and _settings().search(text) is None


def unread_in(buffer: bytes, start: int, end: int, line: int) -> Iterator[tuple[int, bytes]]:
    """Yields number and text of each line in buffer[start:end] with a measurement; `line` is the first one's."""
    counted, at, pattern = start, start, _measurement()
    while match := pattern.search(buffer, at, end):
        begin = max(buffer.rfind(b"\n", at, match.start()), buffer.rfind(b"\r", at, match.start())) + 1 or at
        whole = _SUBLINES.match(buffer, begin, end)
        assert whole is not None
        line += buffer.count(b"\n", counted, begin)
        counted, at = begin, whole.end()
        if _settings().search(whole.group(0)) is None:
            yield line, whole.group(0)


@cache
def _measurement() -> re.Pattern[bytes]:
    words = b"|".join(map(re.escape, measure_words()))
    units = b"|".join(map(re.escape, measure_units()))
    # Each look-behind has a fixed length.
    settings = b"".join(rb"(?<!" + re.escape(end) + b")" for end in setting_ends())
    number = rb"[+-]?+(?:\.?+[0-9]++(?![/-][0-9]|\.[0-9]+\.[0-9])|nan|NaN|inf)"
    after = rb"(?![A-Za-z])[A-Za-z0-9_@/]{0,32}+" + settings + rb"[ \t:='\"|(\[{,>]{1,48}+" + number
    return re.compile(rb"(?<![A-Za-z])(?:" + words + rb")" + after + rb"|(?<=[0-9])[ \t]?+(?:" + units + rb")")


@cache
def _settings() -> re.Pattern[bytes]:
    return re.compile(b"|".join([rb" --[A-Za-z]", *map(re.escape, setting_lines())]))


def measure_words() -> list[bytes]:
    known = (
        spelling
        for word in vocabulary().measure_words
        for spelling in ((word, word.capitalize(), word.upper()) if word.islower() else (word,))
    )
    return sorted({word.encode() for word in known}, key=lambda word: (-len(word), word))


def setting_ends() -> list[bytes]:
    return [text.encode() for end in vocabulary().setting_ends for text in (end, end.capitalize(), end.upper())]


def setting_lines() -> list[bytes]:
    return [text.encode() for text in vocabulary().setting_lines]


def measure_units() -> list[bytes]:
    return sorted((unit.encode() for unit in vocabulary().measure_units), key=lambda unit: (-len(unit), unit))
