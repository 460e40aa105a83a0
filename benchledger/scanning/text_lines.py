"""Lines with their places, and cells: shared by the readers of tabular files."""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchledger.scanning import rows
from benchledger.scanning.layout import Layouts
from benchledger.scanning.rows import Pair, Pieces, RejectedPiece
from benchledger.scanning.values import decode

# Blanks around a cell. A no-break space belongs to the cell.
BLANKS = " \t\r"
NUMBER_CELL = re.compile(
    r"([+-]?(?:[0-9]{1,18}(?:\.[0-9]{0,18})?|\.[0-9]{1,18})(?:[eE][+-]?[0-9]{1,3})?)"
    r"(?: ?([A-Za-z%][A-Za-z%/]{0,15}))?\Z"
)
_THOUSANDS = re.compile(r"[+-]?[0-9]{1,3}(?:,[0-9]{3}){1,6}(?:\.[0-9]{0,18})?\Z")
NOT_STATED = {
    "", "N/A", "n/a", "[N/A]", "[Not Supported]", "[Unknown Error]", "[Insufficient Permissions]", "-", "--",
}  # fmt: skip


def lines_of(buffer: bytes, base: int, line: int) -> Iterator[tuple[bytes, int, int]]:
    offset = 0
    while offset < len(buffer):
        end = buffer.find(b"\n", offset)
        end = len(buffer) if end < 0 else end
        yield buffer[offset:end].rstrip(b"\r"), line, base + offset
        line += end < len(buffer)
        offset = end + 1


def number_in(layouts: Layouts, cell: str) -> re.Match[str] | None:
    """Returns the match of a cell's number and unit, or None. A unit directly behind it must be known: `151abc`."""
    match = NUMBER_CELL.match(cell)
    known = match is None or not match.group(2) or cell[match.end(1)] == " " or layouts.is_unit(match.group(2))
    return match if known else None


def pair_of(layouts: Layouts, name: str, cell: str, unit: str | None = None) -> Pair:
    """Returns a cell as a value: a number with its own unit or that of its column, a text, or absent."""
    if cell in NOT_STATED:
        return name, None, None, unit
    if match := number_in(layouts, cell):
        return name, float(match.group(1)), None, match.group(2) or unit
    if _THOUSANDS.match(cell):
        return name, float(cell.replace(",", "")), None, unit
    return name, None, cell, None


def reject(pieces: Pieces, line: int, offset: int, record: str | None, reason: str, text: bytes) -> None:
    pieces.pieces += 1
    pieces.rejects.append(RejectedPiece(line, offset, record, reason, decode(text[: rows.REJECT_TEXT_LIMIT])))
