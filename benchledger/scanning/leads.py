"""Reads the lead of a record, the text before it on its line: mpirun and srun prefixes, dates, progress bars."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from benchledger.definitions.log_format import COLUMNS
from benchledger.definitions.template import Hole, Literal, Template, leads
from benchledger.scanning.patterns import compiled, parts_pattern
from benchledger.scanning.values import ANSI, decode, hole_value

LEAD_LIMIT = 256
_MOST_PARTS = 8
_REMEMBERED = 4096
# A number too large for its column, or a date that does not exist, makes a lead unknown.
_LARGEST = 2**31

Stated = int | float | str | datetime

# In a lead that no template matches in full: `[train:76, rank=0]`, or mpirun's number before the program's own words.
_RANK = re.compile(r"\brank\W{0,2}([0-9]{1,5})\b|\[[0-9]+,([0-9]{1,5})\]<", re.IGNORECASE)


# Text before a rank ends with one of these, or with what a container adds: the number in `Epoch 00032:` is not a rank.
_ENDS = (b":", b">", b"]", b")", b"}", b"|", b" stdout F", b" stderr F", *(b"%dZ" % digit for digit in range(10)))

# Leads that differ only in digits match the same templates at the same places.
_DIGITS = bytes.maketrans(b"123456789", b"0" * 9)

Found = tuple[dict[str, Stated], str | None]


@dataclass(frozen=True)
class LeadShape:
    """The places of the values of a lead, from the part next to the record on, and of the rest without a template."""

    parts: tuple[tuple[tuple[Hole, int, int], ...], ...]
    rest: tuple[int, int]


def rank_in(rest: str | None) -> int | None:
    """Returns the rank that the unread rest of a lead names."""
    found = _RANK.search(rest) if rest else None
    return int(found[1] or found[2]) if found else None


class _Template:
    """A shared template, compiled when a lead contains all its words."""

    def __init__(self, template: Template) -> None:
        self._template = template
        self.holes = template.holes
        self._is_number = _begins_with_number(template)
        # Blanks match as many or more.
        texts = (part.text for part in template.parts if isinstance(part, Literal))
        self._words = tuple(word.encode() for text in texts for word in text.split())

    @cached_property
    def _pattern(self) -> re.Pattern[bytes]:
        return compiled(_begin(self._template) + parts_pattern(self._template.parts) + rb"[ \t]*+\Z")

    def search(self, lead: bytes) -> re.Match[bytes] | None:
        """Returns the match at the end of a lead."""
        match = self._pattern.search(lead) if all(word in lead for word in self._words) else None
        if match is None or not self._is_number:
            return match
        before = lead[: match.start()].rstrip()
        return match if not before or before.endswith(_ENDS) else None


class LeadReader:
    """Matches a lead backwards, repeatedly, by the shared templates; the rest is kept as text."""

    def __init__(self) -> None:
        self._templates = [_Template(template) for template in leads()]
        literals = "".join(part.text for template in leads() for part in template.parts if isinstance(part, Literal))
        self._by_digits = not any(byte in literals for byte in "0123456789")
        self._known: dict[bytes, Found] = {}
        self._shapes: dict[bytes, LeadShape] = {}

    def read(self, lead: bytes) -> Found:
        """Returns the columns that a lead states (rank, logged_at), and its text without a template."""
        if not lead:
            return {}, None
        known = self._known.get(lead)
        if known is None:
            known = self._read(lead[-LEAD_LIMIT:])
            if len(self._known) < _REMEMBERED:
                self._known[lead] = known
        return known

    def _read(self, lead: bytes) -> Found:
        if b"\x1b" in lead:
            lead = ANSI.sub(b"", lead)
        key = lead.translate(_DIGITS)
        shape = self._shapes.get(key)
        if shape is not None and (found := _stated(lead, shape)) is not None:
            return found
        shape, usual = self._shape(lead)
        if usual and self._by_digits and len(self._shapes) < _REMEMBERED:
            self._shapes[key] = shape
        found = _stated(lead, shape)
        assert found is not None
        return found

    def shape_of(self, lead: bytes) -> LeadShape | None:
        """Returns the shape of a lead and of all leads that differ only in digits; None if theirs may differ."""
        shape, usual = self._shape(lead)
        return shape if usual and self._by_digits else None

    def _shape(self, lead: bytes) -> tuple[LeadShape, bool]:
        # False: a value was refused (a date that does not exist), so other leads of these digits have another shape.
        usual, taken = True, []
        start, end = _stripped(lead, 0, len(lead))
        for _ in range(_MOST_PARTS):
            rest = lead[start:end]
            for template in self._templates:
                match = template.search(rest)
                if match is None:
                    continue
                part = tuple(
                    (hole, start + match.start(group), start + match.end(group))
                    for group, hole in enumerate(template.holes, start=1)
                    if hole.name in COLUMNS
                )
                if all(_column(hole, lead[at:to]) is not None for hole, at, to in part):
                    taken.append(part)
                    start, end = _stripped(lead, start, start + match.start())
                    break
                usual = False
            else:
                break
            if start == end:
                break
        return LeadShape(tuple(taken), (start, end)), usual


def _stripped(lead: bytes, start: int, end: int) -> tuple[int, int]:
    text = lead[start:end].strip()
    start = lead.index(text, start, end)
    return start, start + len(text)


def _stated(lead: bytes, shape: LeadShape) -> Found | None:
    columns: dict[str, Stated] = {}
    for part in shape.parts:
        stated = {hole.name: _column(hole, lead[start:end]) for hole, start, end in part}
        if None in stated.values():
            return None
        columns = {name: value for name, value in stated.items() if value is not None} | columns
    return columns, decode(lead[shape.rest[0] : shape.rest[1]]) or None


def _begin(template: Template) -> bytes:
    # A rank stands alone, unlike the line number in `file.cc:161:`. A time may follow `<stderr>:`, but no digit.
    if _begins_with_number(template):
        return rb"(?<!\S)"
    return rb"(?<![0-9])" if isinstance(template.parts[0], Hole) else b""


def _begins_with_number(template: Template) -> bool:
    first = template.parts[0]
    return isinstance(first, Hole) and first.type != "time"


def _column(hole: Hole, raw: bytes) -> Stated | None:
    value: Stated | None = hole_value(hole.type, raw)
    return None if isinstance(value, int) and abs(value) >= _LARGEST else value
