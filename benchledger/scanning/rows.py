"""The results of reading a log: rows, rejects and ignored pieces, and their counts, which must add up."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from benchledger.definitions.log_format import RecordDefinition
from benchledger.scanning.layout import Layout, Layouts

# Reasons of rejects; docs/formats-reference.md explains each.
NO_HEAD = "no head: the line has an anchor of the format, but no template matches its start"
NO_TEMPLATE = "no template: the line starts like a record, but no template matches the rest"
BAD_JSON = "bad json: the object is cut, not JSON, or nested too deep"
TWO_KEYS = "bad json: a key has two values"
BAD_DICT = "bad dict: the dict of Python is cut, or has keys that are no text"
TOO_LONG = "too long: a piece of more than 65,536 bytes"
TOO_LARGE = "too large: a document of more than 512 MiB is not read"
NOT_TEXT = "no text: {} follows text; split the file there, and ingest both parts"
BAD_TIME = "no such time: the date or hour does not exist"
BAD_NUMBER = "bad number: a step, epoch, rank or clock that is no number or too large for its column"
OUT_OF_RANGE = "bad number: too large, or too near to zero, for a float"
CUT_NUMBER = "cut number: the text behind the number is neither a separator nor a known unit"
NO_OWN = "no own value: the list has no value for the number in the line"
BAD_SQLITE = "bad sqlite: the file is corrupt, or its tables are not those of the format"
CUT_ROW = "cut row: not as many cells as the header has"
BAD_CELL = "bad cell: a row that fits none of the columns"

# The reason of an ignored piece: a last line without its end, which is read again when the log has grown.
UNFINISHED = "unfinished last line"
# These are wrong however the line goes on.
NEVER_UNFINISHED = frozenset({TWO_KEYS, TOO_LONG, TOO_LARGE, BAD_SQLITE})

# (key, number or None, text or None, logged unit or None)
Pair = tuple[str, float | None, str | None, str | None]
Columns = dict[str, int | float | str | datetime | None]
Place = tuple[int, int]

PIECE_LIMIT = 65_536
# A digit other than 0 before the exponent.
_NOT_ZERO = re.compile(r"[^eE1-9]*[1-9]")
REJECT_TEXT_LIMIT = 1_000


class Refused(Exception):
    """Raised for a piece that begins like a record and is none; the message is the reason of the reject."""


@dataclass(slots=True)
class Row:
    """One record: `values` are scaled to their units, None where stated as absent or where `texts` has the value."""

    layout: Layout
    line: int
    byte_offset: int
    columns: Columns
    values: list[float | None]
    texts: list[str | None] | None = None
    lead: str | None = None
    note: str | None = None


@dataclass(slots=True)
class RejectedPiece:
    line: int
    byte_offset: int
    record: str | None
    reason: str
    text: str


@dataclass
class Pieces:
    """Everything found in one log. `pieces` is counted where lines are cut, independently of the lists.

    `unread`: number and text of each line with a measurement that no template matches. A manifest lists `files`.
    """

    rows: list[Row] = field(default_factory=list)
    rejects: list[RejectedPiece] = field(default_factory=list)
    ignored: Counter[str] = field(default_factory=Counter)
    unread: list[tuple[int, bytes]] = field(default_factory=list)
    pieces: int = 0
    # Set by earlier records, and used by records whose phase or scope is "current".
    phase: str = "train"
    scope: str | None = None
    files: list[str] = field(default_factory=list)


def fits_float(text: str | bytes) -> bool:
    """Tells whether a number as a float is neither infinite nor 0, as `1e999`, `1e-999` and the hash `5e12345` are."""
    value = float(text)
    if value and math.isfinite(value):
        return True
    return not _NOT_ZERO.match(text if isinstance(text, str) else text.decode())


def exact(text: str | bytes) -> float:
    """Returns the number that a text is. Raises Refused for one that no float holds."""
    if not fits_float(text):
        raise Refused(OUT_OF_RANGE)
    return float(text)


def scaled(value: float, scale: float) -> float:
    """Returns a value in the ledger's unit, exact to the last bit: 406,240 ns are 0.00040624 s, but not times 1e-9."""
    return value / round(1 / scale) if 0 < scale < 1 and math.isclose(round(1 / scale) * scale, 1) else value * scale


def _in_range(value: float, printed: float) -> float:
    if (math.isinf(value) and not math.isinf(printed)) or (value == 0 and printed != 0):
        raise Refused(OUT_OF_RANGE)
    return value


def make_row(layouts: Layouts, record: RecordDefinition, pairs: Sequence[Pair], columns: Columns, place: Place) -> Row:
    """Returns the row of a record with these values, scaled to their units; `place` is its line and byte offset."""
    layout = layouts.get(record, tuple(pair[0] for pair in pairs), tuple(pair[3] for pair in pairs))
    return row_of(layout, pairs, columns, place, scaled)


def row_of(
    layout: Layout, pairs: Sequence[Pair], columns: Columns, place: Place, scale: Callable[[float, float], float]
) -> Row:
    """Returns the row of a known layout; `scale` converts a value to its unit. Raises Refused for an overflow."""
    values = [
        None if pair[1] is None else _in_range(scale(pair[1], factor), pair[1])
        for pair, factor in zip(pairs, layout.scales, strict=False)
    ]
    texts = [pair[2] for pair in pairs]
    has_text = any(text is not None for text in texts)
    return Row(layout, *place, columns, values or [None], texts if has_text else None)
