"""What a reader finds in a log: rows, rejects, and the counts that must add up."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime

from benchledger.scanning.layout import Layout

# Reasons of rejects; docs/formats.md explains each.
NO_HEAD = "no head: the line has an anchor of the format but no record begins in it"
NO_TEMPLATE = "no template: a record begins here but no template takes it to its end"
BAD_JSON = "bad json: the object is cut, not JSON, or nested too deep"
TOO_LONG = "too long: a piece of more than 65,536 bytes"
BAD_TIME = "no such time: the date or hour does not exist"
BAD_NUMBER = "bad number: a step, epoch, rank or clock that is no number or too large for its column"
CUT_ROW = "cut row: not as many cells as the header has"
BAD_CELL = "bad cell: a row that fits none of the columns"

PIECE_LIMIT = 65_536
REJECT_TEXT_LIMIT = 1_000


@dataclass(slots=True)
class Row:
    """One record: `values` are scaled to their units, None where stated as absent or where `texts` has the value."""

    layout: Layout
    line: int
    byte_offset: int
    columns: dict[str, int | float | str | datetime | None]
    values: list[float | None]
    texts: list[str | None] | None = None
    lead: str | None = None
    note: str | None = None


@dataclass(slots=True)
class RejectedPiece:
    """A piece that should have been a record."""

    line: int
    byte_offset: int
    record: str | None
    reason: str
    text: str


@dataclass
class Pieces:
    """Everything that a reader found in one log. `pieces` is counted where lines are cut, not where they are judged."""

    rows: list[Row] = field(default_factory=list)
    rejects: list[RejectedPiece] = field(default_factory=list)
    ignored: Counter[str] = field(default_factory=Counter)
    pieces: int = 0
