"""CSV telemetry: columns by header name, or by the column lists of files without a header."""

from __future__ import annotations

import csv
import re
from typing import Any

from benchledger.definitions.log_format import CsvColumn, CsvDefinition, LogFormat
from benchledger.scanning import rows
from benchledger.scanning.layout import Layouts
from benchledger.scanning.rows import Pieces, RejectedPiece, Row
from benchledger.scanning.values import decode, to_time

# At least this share of the lines must fit a column list before a file without a header is taken for it.
FITTING_SHARE = 0.9
LEAST_LINES = 2

_HEADER_CELL = re.compile(r"([A-Za-z][A-Za-z0-9_.]{0,63})(?: \[([^\]]{1,16})\])?\Z")
_NUMBER_CELL = re.compile(r"([+-]?(?:[0-9]{1,18}(?:\.[0-9]{0,18})?|\.[0-9]{1,18})(?:[eE][+-]?[0-9]{1,3})?)(?: ?([A-Za-z%][A-Za-z%/]{0,15}))?\Z")
_NOT_STATED = {"", "N/A", "[N/A]", "[Not Supported]", "[Unknown Error]", "[Insufficient Permissions]", "-"}


class CsvReader:
    """Reads the lines of one CSV format; the header, if there is one, is the first line that is not blank."""

    def __init__(self, log_format: LogFormat) -> None:
        assert log_format.csv is not None
        self.format = log_format
        self.layouts = Layouts(log_format)
        self.definition: CsvDefinition = log_format.csv
        self.record = log_format.records[0]
        self._columns: list[tuple[str, str | None]] = []
        self._typed: tuple[CsvColumn, ...] | None = None
        self._header = b""

    def fits(self, head: bytes, complete: bool) -> str | None:
        """Why a file that begins with `head` is of this format, or None."""
        lines = head.splitlines()
        if not complete and len(lines) > 1:
            lines.pop()
        lines = [line for line in lines if line.strip()]
        if not lines:
            return None
        cells = _cells(lines[0])
        header = [_HEADER_CELL.match(cell) for cell in cells]
        names = [match.group(1) for match in header if match]
        if len(names) == len(cells) and any(name in self.definition.headers for name in names):
            return f"the header line names {next(name for name in names if name in self.definition.headers)!r}"
        fitting = self._fitting_list(lines)
        return None if fitting is None else f"lines read {', '.join(column.name for column in fitting)}, without a header"

    def begin(self, head: bytes) -> None:
        """Takes the columns from the beginning of a file that fits."""
        lines = [line for line in head.splitlines() if line.strip()]
        header = [_HEADER_CELL.match(cell) for cell in _cells(lines[0])]
        if all(header) and any(match.group(1) in self.definition.headers for match in header if match):
            self._columns = [(match.group(1), match.group(2)) for match in header if match]
            self._typed, self._header = None, lines[0].strip()
            return
        self._typed = self._fitting_list(lines) or ()
        self._columns = [(column.name, column.unit) for column in self._typed]
        self._header = b""

    def read(self, buffer: bytes, base: int, line: int, pieces: Pieces) -> int:
        """Adds the rows of a buffer of whole lines; returns the line after it."""
        offset = 0
        while offset < len(buffer):
            end = buffer.find(b"\n", offset)
            end = len(buffer) if end < 0 else end
            text = buffer[offset:end].strip()
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
        row = self._row(cells, line, offset) if reason is None else None
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
                columns[column] = None if cell in _NOT_STATED else cell
                continue
            match = _NUMBER_CELL.match(cell)
            stated = cell not in _NOT_STATED
            names.append(name)
            units.append((match.group(2) if match else None) or header_unit)
            numbers.append(float(match.group(1)) if match and stated else None)
            texts.append(cell if stated and not match else None)
        layout = self.layouts.get(self.record, tuple(names), tuple(units))
        values = [None if number is None else number * scale for number, scale in zip(numbers, layout.scales, strict=False)]
        return Row(layout, line, offset, columns, values or [None], texts if any(texts) else None)

    def _fitting_list(self, lines: list[bytes]) -> tuple[CsvColumn, ...] | None:
        if len(lines) < LEAST_LINES:
            return None
        split = [_cells(line) for line in lines]
        for columns in self.definition.headerless:
            fitting = sum(
                len(cells) == len(columns) and all(_fits(column, cell) for column, cell in zip(columns, cells, strict=True))
                for cells in split
            )
            if fitting >= FITTING_SHARE * len(lines):
                return columns
        return None


def _cells(line: bytes) -> list[str]:
    if len(line) > rows.PIECE_LIMIT:
        return []
    try:
        return [cell.strip() for cell in next(csv.reader([decode(line)], skipinitialspace=True), [])]
    except csv.Error:
        return []


def _fits(column: CsvColumn, cell: str) -> bool:
    if not column.number:
        return True
    match = _NUMBER_CELL.match(cell)
    return bool(match) and match.group(2) == column.unit and column.least <= float(match.group(1)) <= column.most
