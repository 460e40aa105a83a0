"""CSV in the middle of program output: profilers print theirs where the profiled program prints its own."""

from __future__ import annotations

import csv
import re
from typing import Any

from benchledger.definitions.log_format import LogFormat
from benchledger.definitions.vocabulary import vocabulary
from benchledger.scanning import rows
from benchledger.scanning.json_values import column_value
from benchledger.scanning.layout import Layouts
from benchledger.scanning.rows import Pair, Pieces, Refused, make_row, scaled
from benchledger.scanning.text_lines import BLANKS, NOT_STATED, NUMBER_CELL, lines_of, pair_of, reject
from benchledger.scanning.values import decode, refuse_cut

# A row begins at the line's beginning, or glued to a line of the program at a number in quotes.
_ROW_START = re.compile(rb'"[0-9]{1,18}","')
_LINE_START = re.compile(rb'(?:"[^"\r\n]{0,64}"|[-+.0-9eE]{1,32})?,')
# As many quoted cells as stand one behind the other; what follows is not of the row.
_QUOTED_CELLS = re.compile(rb'"(?:[^"\r\n]|"")*+"(?:,(?:"(?:[^"\r\n]|"")*+")?+)*+')
_WHOLE = ("step", "epoch", "rank")
# What a row without the name of a value is: advice about the kernel.
NO_NAME = "a row that names no value"


class MixedCsvReader:
    """Reads the files of one CSV format whose header is searched for. Lines that are no rows are program output."""

    whole = False

    def __init__(self, log_format: LogFormat) -> None:
        assert log_format.csv is not None
        self.format = log_format
        self.definition = log_format.csv
        self.record = log_format.records[0]
        self.layouts = Layouts(log_format)
        # A name that stands in headers only: other lines need not be parsed to see that they are none.
        self.opens = b""
        self.marks = tuple({names[0].encode() for names in self.definition.search})
        self._names: list[str] = []
        self._units: list[str | None] = []
        self._numbered = False
        self._least = 0
        self._after_header = False
        self._long = False

    def fits(self, head: bytes, complete: bool) -> str | None:  # noqa: ARG002 - a FileReader
        """Why a file is of this format: one of its lines is a header."""
        for names in self.definition.search:
            first = names[0].encode()
            position = head.find(first)
            while position >= 0:
                start = head.rfind(b"\n", 0, position) + 1
                end = head.find(b"\n", position)
                end = len(head) if end < 0 else end
                if self._header(head[start:end]):
                    shown = ", ".join(map(repr, names))
                    return f"line {head.count(chr(10).encode(), 0, start) + 1} is a CSV header with {shown}"
                position = head.find(first, end)
        return None

    def fits_late(self, head: bytes, complete: bool) -> str | None:  # noqa: ARG002 - a FileReader
        """None: a header is proof enough."""
        return None

    def begin(self, head: bytes) -> None:  # noqa: ARG002 - a FileReader
        """Forgets the header of the file before."""
        self._names, self._units = [], []

    def read(self, buffer: bytes, base: int, line: int, pieces: Pieces) -> int:
        """Adds the rows of a buffer of whole lines; returns the line after it."""
        for text, number, offset in lines_of(buffer, base, line):
            if names := self._header(text):
                self._begin_table(names)
            elif self._names:
                self._line(text, number, offset, pieces)
        return line + buffer.count(b"\n")

    def _header(self, line: bytes) -> list[str]:
        start = line.find(b'"')
        if start < 0 or len(line) > rows.PIECE_LIMIT or not any(mark in line for mark in self.marks):
            return []
        names = _cells(line[start:])
        known = set(names)
        if not any(known >= set(wanted) for wanted in self.definition.search) or len(known) != len(names):
            return []
        return names

    def _begin_table(self, names: list[str]) -> None:
        self._names, self._units, self._after_header = names, [None] * len(names), True
        self._numbered = self.definition.columns.get(names[0]) in _WHOLE
        needed = {self.definition.long[key] for key in ("name", "value") if key in self.definition.long}
        self._long = bool(needed) and needed <= set(names)
        # Columns behind name and value are advice, which not every row has.
        self._least = max(map(names.index, needed)) + 1 if self._long else len(names)

    def _line(self, text: bytes, line: int, offset: int, pieces: Pieces) -> None:
        start, after_header = 0, self._after_header
        self._after_header = False
        if after_header and len(units := _cells(text)) == len(self._names) and not any(map(NUMBER_CELL.match, units)):
            self._units = [unit or None for unit in units]
            return
        if not (_ROW_START if self._numbered else _LINE_START).match(text):
            glued = _ROW_START.search(text)
            if glued is None:
                return
            start = glued.start()
        row = text[start:]
        if len(row) > rows.PIECE_LIMIT:
            reject(pieces, line, offset + start, self.record.name, rows.TOO_LONG, row)
            return
        quoted = _QUOTED_CELLS.match(row) if row.startswith(b'"') and _ROW_START.match(row) else None
        cells, rest = _cells(quoted.group(0) if quoted else row), row[quoted.end() :] if quoted else b""
        if not self._least <= len(cells) <= len(self._names) or rest.startswith(b'"'):
            reject(pieces, line, offset + start, self.record.name, rows.CUT_ROW, row)
            return
        named = dict(zip(self._names, cells, strict=False))
        if self._long and not named[self.definition.long["name"]]:
            pieces.pieces += 1
            pieces.ignored[NO_NAME] += 1
            return
        try:
            columns, pairs = self._values(named)
            refuse_cut(self.layouts, self.record, pairs)
        except Refused as error:
            reject(pieces, line, offset + start, self.record.name, str(error), row)
            return
        pieces.pieces += 1
        found = make_row(self.layouts, self.record, pairs, columns, (line, offset + start))
        found.lead, found.note = decode(text[:start]) or None, decode(rest) or None
        pieces.rows.append(found)

    def _values(self, cells: dict[str, str]) -> tuple[dict[str, Any], list[Pair]]:
        columns: dict[str, Any] = {}
        pairs: list[Pair] = []
        long = self.definition.long if self._long else {}
        for (name, cell), unit in zip(cells.items(), self._units, strict=False):
            if name in self.definition.drop or name in long.values():
                continue
            column = self.definition.columns.get(name)
            if column is None:
                pairs.append(pair_of(self.layouts, name, cell, unit))
            else:
                columns[column] = None if cell in NOT_STATED else _column(column, cell, unit)
        if long and not cells[long["value"]]:
            raise Refused(rows.CUT_ROW)
        if long:
            unit = cells.get(long.get("unit", "")) or None
            pairs.insert(0, pair_of(self.layouts, cells[long["name"]], cells[long["value"]], unit))
        return columns, pairs


def _column(name: str, cell: str, unit: str | None) -> Any:
    if name not in (*_WHOLE, "clock_s"):
        return cell
    match = NUMBER_CELL.match(cell)
    if match is None:
        raise Refused(rows.BAD_NUMBER)
    if name == "clock_s":
        return scaled(float(match.group(1)), vocabulary().spellings.get(unit or "s", ("s", 1.0))[1])
    return column_value(name, float(match.group(1)))


def _cells(line: bytes) -> list[str]:
    try:
        return [cell.strip(BLANKS) for cell in next(csv.reader([decode(line)]), [])] or [""]
    except csv.Error:
        return [""]
