"""Reads CSV within program output: a profiler prints into the output of the profiled program."""

from __future__ import annotations

import csv
import re

from benchledger.definitions.log_format import LogFormat
from benchledger.scanning import rows
from benchledger.scanning.file_reader import (
    BLANKS,
    NUMBER_CELL,
    WHOLE_COLUMNS,
    FileReader,
    column_of,
    lines_of,
    pair_of,
    reject,
)
from benchledger.scanning.rows import Columns, Pair, Pieces, Refused
from benchledger.scanning.values import decode

# A row begins at the start of a line, or behind program output at a number in quotes.
_ROW_START = re.compile(rb'"[0-9]{1,18}","')
_LINE_START = re.compile(rb'(?:"[^"\r\n]{0,64}"|[-+.0-9eE]{1,32})?,')
# Consecutive quoted cells; text behind them does not belong to the row.
_QUOTED_CELLS = re.compile(rb'"(?:[^"\r\n]|"")*+"(?:,(?:"(?:[^"\r\n]|"")*+")?+)*+')
# A row without the name of a value is advice about the kernel.
NO_NAME = "a row that names no value"


class MixedCsvReader(FileReader):
    """Reads the files of one CSV format whose header is searched for. All other lines are program output."""

    def __init__(self, log_format: LogFormat) -> None:
        super().__init__(log_format)
        assert log_format.csv is not None
        self.definition = log_format.csv
        # A name that only headers contain: other lines need not be parsed.
        self.marks = tuple({names[0].encode() for names in self.definition.search})
        self._names: list[str] = []
        self._units: list[str | None] = []
        self._numbered = False
        self._least = 0
        self._after_header = False
        self._long = False

    def fits(self, head: bytes, complete: bool) -> str | None:  # noqa: ARG002 - a FileReader
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

    def begin(self, head: bytes) -> None:  # noqa: ARG002 - a FileReader
        self._names, self._units = [], []

    def read(self, buffer: bytes, base: int, line: int, pieces: Pieces) -> int:
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
        self._numbered = self.definition.columns.get(names[0]) in WHOLE_COLUMNS
        needed = {self.definition.long[key] for key in ("name", "value") if key in self.definition.long}
        self._long = bool(needed) and needed <= set(names)
        # Columns behind name and value contain advice, which some rows lack.
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
        found = self.add_row(lambda: self._values(named), (line, offset + start), row, pieces)
        if found is not None:
            found.lead, found.note = decode(text[:start]) or None, decode(rest) or None

    def _values(self, cells: dict[str, str]) -> tuple[Columns, list[Pair]]:
        columns: Columns = {}
        pairs: list[Pair] = []
        long = self.definition.long if self._long else {}
        for (name, cell), unit in zip(cells.items(), self._units, strict=False):
            if name in self.definition.drop or name in long.values():
                continue
            column = self.definition.columns.get(name)
            if column is None:
                pairs.append(pair_of(self.layouts, name, cell, unit))
            else:
                columns[column] = column_of(column, cell, unit)
        if long and not cells[long["value"]]:
            raise Refused(rows.CUT_ROW)
        if long:
            unit = cells.get(long.get("unit", "")) or None
            pairs.insert(0, pair_of(self.layouts, cells[long["name"]], cells[long["value"]], unit))
        return columns, pairs


def _cells(line: bytes) -> list[str]:
    try:
        return [cell.strip(BLANKS) for cell in next(csv.reader([decode(line)], strict=True), [])] or [""]
    except csv.Error:
        return [""]
