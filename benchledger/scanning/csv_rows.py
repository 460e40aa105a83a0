"""CSV telemetry: columns by header name, or by the column lists of files without a header."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from benchledger.definitions.log_format import CsvColumn, CsvDefinition, LogFormat
from benchledger.scanning import rows
from benchledger.scanning.detection import BLOCK
from benchledger.scanning.layout import Layouts
from benchledger.scanning.rows import Pieces, Refused, RejectedPiece, Row
from benchledger.scanning.text_lines import BLANKS, NUMBER_CELL, number_in
from benchledger.scanning.values import decode, refuse_cut, to_time

# At least this share of the lines must fit a column list before a file without a header is taken for it.
FITTING_SHARE = 0.9
LEAST_LINES = 2

_HEADER_CELL = re.compile(r"([A-Za-z][A-Za-z0-9_./]{0,63})(?: \[([^\]]{1,16})\])?\Z")
# No name of a column holds such a character, and a unit stands in brackets.
_NO_NAME = re.compile(rb"[!#-+\-:-@\\^`{|}~]")
_WHOLE = re.compile(r"[0-9]{1,18}\Z")
_WHOLE_OR_DECIMAL = re.compile(r"[0-9]{1,18}(?:\.[0-9]{0,18})?\Z")
_BITS = {"step": 63, "epoch": 63, "rank": 31}
_NO_NUMBER = object()
_NOT_STATED = {"", "N/A", "[N/A]", "[Not Supported]", "[Unknown Error]", "[Insufficient Permissions]", "-"}


class CsvReader:
    """Reads the lines of one CSV format; the header, if there is one, is the first line that is not blank."""

    whole = False
    marks: tuple[bytes, ...] = ()
    opens = b""

    def __init__(self, log_format: LogFormat) -> None:
        assert log_format.csv is not None
        self.format = log_format
        self.layouts = Layouts(log_format)
        self.definition: CsvDefinition = log_format.csv
        self.record = log_format.records[0]
        self._columns: list[tuple[str, str | None]] = []
        self._list: tuple[CsvColumn, ...] | None = None
        self._typed: tuple[CsvColumn, ...] | None = None
        self._header = b""

    def fits(self, head: bytes, complete: bool) -> str | None:  # noqa: ARG002 - a FileReader
        """Why a file that begins with `head` has a header of this format, or None."""
        head = head[:BLOCK]
        first = _first_line(head)
        named = _header_of(first)
        if not named:
            return None
        # Any CSV may have a column `driver_version`: it proves by a unit, or if the header has `, ` throughout.
        spaced = first.count(b", ") == len(named) - 1
        known = [name for name, unit in named if name in self.definition.headers and (unit or spaced)]
        known += _together(self.definition, named)
        return f"the header line names {known[0]!r}" if known else None

    def fits_late(self, head: bytes, complete: bool) -> str | None:
        """Why a file without a header that begins with `head` is of this format, or None."""
        head, complete = head[:BLOCK], complete and len(head) <= BLOCK
        if self._list_of([_first_line(head)], least_lines=1) is None:
            return None
        self._list = fitting = self._list_of(_lines(head, complete))
        if fitting is None:
            return None
        return f"lines read {', '.join(column.name for column in fitting)}, without a header"

    def begin(self, head: bytes) -> None:
        """Takes the columns from the beginning of a file that was just found to fit."""
        first = _first_line(head[:BLOCK])
        self._columns, self._typed, self._header = list(_header_of(first)), None, first
        named = any(name in self.definition.headers for name, _ in self._columns)
        if not named and not _together(self.definition, self._columns):
            self._typed = self._list or ()
            self._columns, self._header = [(column.name, column.unit) for column in self._typed], b""

    def read(self, buffer: bytes, base: int, line: int, pieces: Pieces) -> int:
        """Adds the rows of a buffer of whole lines; returns the line after it."""
        offset = 0
        while offset < len(buffer):
            end = buffer.find(b"\n", offset)
            end = len(buffer) if end < 0 else end
            text = buffer[offset:end].strip(b" \t\r")
            if text:
                self._read_line(text, line, base + offset, pieces)
            line += end < len(buffer)
            offset = end + 1
        return line

    def _read_line(self, text: bytes, line: int, offset: int, pieces: Pieces) -> None:
        if text == self._header:
            # The header itself, also where a second monitor appended to the same file.
            return
        pieces.pieces += 1
        cells = _cells(text)
        reason = None
        if len(text) > rows.PIECE_LIMIT:
            reason = rows.TOO_LONG
        elif len(cells) != len(self._columns):
            reason = rows.CUT_ROW
        elif self._typed and not all(_fits(column, cell) for column, cell in zip(self._typed, cells, strict=True)):
            reason = rows.BAD_CELL
        row = None
        try:
            row = self._row(cells, line, offset) if reason is None else None
        except Refused as error:
            reason = str(error)
        if row is None:
            shown = decode(text[: rows.REJECT_TEXT_LIMIT])
            pieces.rejects.append(RejectedPiece(line, offset, self.record.name, reason or rows.BAD_CELL, shown))
        else:
            pieces.rows.append(row)

    def _row(self, cells: list[str], line: int, offset: int) -> Row | None:
        columns: dict[str, Any] = {}
        names, units, numbers, texts = [], [], [], []
        for (name, header_unit), cell in zip(self._columns, cells, strict=True):
            column = self.definition.columns.get(name)
            if column == "logged_at":
                columns[column] = to_time(cell.encode("ascii", "replace")) if cell not in _NOT_STATED else None
                if columns[column] is None:
                    return None
                continue
            if column is not None:
                columns[column] = None if cell in _NOT_STATED else _column(column, cell)
                if columns[column] is _NO_NUMBER:
                    return None
                continue
            match = number_in(self.layouts, cell)
            stated = cell not in _NOT_STATED
            names.append(name)
            units.append((match.group(2) if match else None) or header_unit)
            numbers.append(float(match.group(1)) if match and stated else None)
            texts.append(cell if stated and not match else None)
        shown = [(name, None, text, None) for name, text in zip(names, texts, strict=True)]
        refuse_cut(self.layouts, self.record, shown)
        layout = self.layouts.get(self.record, tuple(names), tuple(units))
        values = [
            None if number is None else number * scale for number, scale in zip(numbers, layout.scales, strict=False)
        ]
        return Row(layout, line, offset, columns, values or [None], texts if any(texts) else None)

    def _list_of(self, lines: list[bytes], least_lines: int = LEAST_LINES) -> tuple[CsvColumn, ...] | None:
        if len(lines) < least_lines:
            return None
        split = [_cells(line) for line in lines]
        for columns in self.definition.headerless:
            fitting = sum(
                len(cells) == len(columns)
                and all(_fits(column, cell) for column, cell in zip(columns, cells, strict=True))
                for cells in split
            )
            if fitting >= FITTING_SHARE * len(lines):
                return columns
        return None


def _together(definition: CsvDefinition, columns: Sequence[tuple[str, str | None]]) -> list[str]:
    """The names of which only all prove a header; none where one is missing."""
    stated = {name for name, _ in columns}
    return next((list(names) for names in definition.together if stated >= set(names)), [])


def _first_line(head: bytes) -> bytes:
    begin = head.lstrip()
    end = begin.find(b"\n")
    return (begin if end < 0 else begin[:end]).strip()


def _lines(head: bytes, complete: bool) -> list[bytes]:
    lines = head.splitlines()
    if not complete and len(lines) > 1:
        # The last one may be cut.
        lines.pop()
    return [line for line in lines if line.strip()]


@lru_cache(maxsize=4)  # all CSV formats ask about the first line of a file
def _header_of(line: bytes) -> tuple[tuple[str, str | None], ...]:
    if b"[" not in line and _NO_NAME.search(line):
        return ()
    cells = [_HEADER_CELL.match(cell) for cell in _cells(line)]
    return tuple((match.group(1), match.group(2)) for match in cells if match) if all(cells) else ()


def _cells(line: bytes) -> list[str]:
    if len(line) > rows.PIECE_LIMIT:
        return []
    try:
        return [cell.strip(BLANKS) for cell in next(csv.reader([decode(line)], skipinitialspace=True), [])]
    except csv.Error:
        return []


def _column(name: str, cell: str) -> Any:
    if name == "clock_s":
        return float(cell) if _WHOLE_OR_DECIMAL.match(cell) else _NO_NUMBER
    if name in _BITS:
        return int(cell) if _WHOLE.match(cell) and int(cell) < 2 ** _BITS[name] else _NO_NUMBER
    return cell


def _fits(column: CsvColumn, cell: str) -> bool:
    if not column.number:
        return True
    match = NUMBER_CELL.match(cell)
    return match is not None and match.group(2) == column.unit and column.least <= float(match.group(1)) <= column.most
