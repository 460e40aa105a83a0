"""The base class of the readers of whole files, with what they share: lines with their places, and cells."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from benchledger.definitions.log_format import LogFormat
from benchledger.definitions.vocabulary import vocabulary
from benchledger.scanning import rows
from benchledger.scanning.json_values import column_value
from benchledger.scanning.layout import Layouts
from benchledger.scanning.rows import (
    Columns,
    Pair,
    Pieces,
    Place,
    Refused,
    RejectedPiece,
    Row,
    exact,
    fits_float,
    make_row,
    scaled,
)
from benchledger.scanning.values import decode, refuse_cut

# Blanks around a cell. A no-break space belongs to the cell.
BLANKS = " \t\r"
NUMBER_CELL = re.compile(
    r"([+-]?(?:[0-9]{1,18}(?:\.[0-9]{0,18})?|\.[0-9]{1,18})(?:[eE][+-]?[0-9]{1,3})?)"
    r"(?: ?([A-Za-z%][A-Za-z%/]{0,15}))?\Z"
)
THOUSANDS = re.compile(r"[+-]?[0-9]{1,3}(?:,[0-9]{3}){1,6}(?:\.[0-9]{0,18})?\Z")
NOT_STATED = {
    "", "N/A", "n/a", "[N/A]", "[Not Supported]", "[Unknown Error]", "[Insufficient Permissions]", "-", "--",
}  # fmt: skip
WHOLE_COLUMNS = ("step", "epoch", "rank")
# The largest document that is held in memory. A larger one is one reject.
DOCUMENT_LIMIT = 512 * 1024 * 1024


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
    if (match := number_in(layouts, cell)) and fits_float(match.group(1)):
        return name, float(match.group(1)), None, match.group(2) or unit
    if THOUSANDS.match(cell):
        return name, float(cell.replace(",", "")), None, unit
    return name, None, cell, None


def column_of(name: str, cell: str, unit: str | None = None) -> Any:
    """Returns a cell as a value of a record's column, a clock in seconds. Raises Refused if it does not fit."""
    if cell in NOT_STATED:
        return None
    if name not in (*WHOLE_COLUMNS, "clock_s"):
        return cell
    match = NUMBER_CELL.match(cell)
    if match is None:
        raise Refused(rows.BAD_NUMBER)
    number = exact(match.group(1))
    scale = vocabulary().spellings.get(unit or "s", ("s", 1.0))[1]
    return scaled(number, scale) if name == "clock_s" else column_value(name, number)


def reject(pieces: Pieces, line: int, offset: int, record: str | None, reason: str, text: bytes) -> None:
    pieces.pieces += 1
    pieces.rejects.append(RejectedPiece(line, offset, record, reason, decode(text[: rows.REJECT_TEXT_LIMIT])))


class FileReader:
    """Reads the files of one format, one after another.

    `whole`: `read` needs the whole file in one buffer; otherwise each buffer holds whole lines. `fits` is asked only if
    the beginning of a file contains one of `marks` and its first byte behind blanks is one of `opens` (empty: any).
    `streams`: it reads a file of any size part by part (`feed`, then `end`). `name` is the part of the file's path that
    belongs to its content, empty for most files; a reader that `needs_name` is asked for no others.
    """

    whole = False
    streams = False
    needs_name = False
    name = ""
    marks: tuple[bytes, ...] = ()
    opens = b""

    def __init__(self, log_format: LogFormat) -> None:
        self.format = log_format
        self.record = log_format.records[0]
        self.layouts = Layouts(log_format)

    def fits(self, head: bytes, complete: bool) -> str | None:  # noqa: ARG002
        """Returns why a file that begins with `head` is of this format whatever else it contains, or None."""
        return None

    def fits_late(self, head: bytes, complete: bool) -> str | None:  # noqa: ARG002
        """Returns why a file that no other format claims is of this format, or None."""
        return None

    def begin(self, head: bytes) -> None:
        """Prepares for a file that was just found to fit."""

    def read(self, buffer: bytes, base: int, line: int, pieces: Pieces) -> int:
        """Adds the pieces of a buffer that begins at offset `base` on line `line`; returns the line after it."""
        raise NotImplementedError

    def feed(self, part: bytes, pieces: Pieces) -> None:
        """Adds the pieces that the next part of a file completes."""
        raise NotImplementedError

    def end(self, pieces: Pieces) -> None:
        raise NotImplementedError

    def add_row(
        self, values: Callable[[], tuple[Columns, list[Pair]]], place: Place, text: bytes, pieces: Pieces
    ) -> Row | None:
        """Adds the row of these values; if they are refused, adds `text` as a reject and returns None."""
        try:
            columns, pairs = values()
            refuse_cut(self.layouts, self.record, pairs)
            row = make_row(self.layouts, self.record, pairs, columns, place)
        except Refused as error:
            reject(pieces, *place, self.record.name, str(error), text)
            return None
        pieces.pieces += 1
        pieces.rows.append(row)
        return row
