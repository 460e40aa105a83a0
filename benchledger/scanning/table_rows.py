"""Tables whose heads give the place of each column.

Between rules of dashes, as torch.profiler prints them; and below a `#` header line, which may repeat and change, as
nvidia-smi dmon and pmon print them.
"""

from __future__ import annotations

import re
from functools import partial

from benchledger.definitions.log_format import LogFormat
from benchledger.scanning import rows
from benchledger.scanning.detection import BLOCK
from benchledger.scanning.file_reader import BLANKS, NUMBER_CELL, FileReader, column_of, lines_of, pair_of, reject
from benchledger.scanning.rows import Columns, Pair, Pieces, Refused, make_row
from benchledger.scanning.values import decode, refuse_cut, to_seconds, to_time

_RULE = re.compile(r"-{3,}(?: {1,4}-{3,})+ *\Z")
_BLANKS = re.compile(r" {2,}")
_DASHES = re.compile(r"-+")
_FOOTER = re.compile(r"([^:]{1,96}): *(\S+(?: [A-Za-z%]{1,8})?) *\Z")


class TableReader(FileReader):
    """Reads the files of one format of kind `table`. A table is a rule, headings, a rule, rows, a rule, footers."""

    def __init__(self, log_format: LogFormat) -> None:
        super().__init__(log_format)
        assert log_format.table is not None
        self.definition = log_format.table
        self._spans: list[tuple[int, int]] = []
        self._names: list[str] = []
        self._in_rows = False

    def fits_late(self, head: bytes, complete: bool) -> str | None:  # noqa: ARG002 - a FileReader
        self.begin(head)
        # Most files contain no rule and need no look at their lines.
        start = head.find(b"---  -")
        start = head.rfind(b"\n", 0, start) + 1 if start >= 0 else len(head)
        for text, number, _ in lines_of(head[start:], 0, 1 + head.count(b"\n", 0, start)):
            if not self._spans and not text.startswith(b"-"):
                continue
            shown = decode(text[: rows.PIECE_LIMIT])
            if _RULE.match(shown):
                self._rule(shown)
            elif self._spans and not self._names and self._headings(shown):
                return f"line {number} heads a table: {', '.join(self._names[:3])}"
        return None

    def begin(self, head: bytes) -> None:  # noqa: ARG002 - a FileReader
        self._spans, self._names, self._in_rows = [], [], False

    def read(self, buffer: bytes, base: int, line: int, pieces: Pieces) -> int:
        for text, number, offset in lines_of(buffer, base, line):
            if len(text) > rows.PIECE_LIMIT:
                if self._in_rows:
                    reject(pieces, number, offset, self.record.name, rows.TOO_LONG, text)
            elif (shown := decode(text)).strip():
                self._line(shown, text, number, offset, pieces)
        return line + buffer.count(b"\n")

    def _line(self, shown: str, text: bytes, line: int, offset: int, pieces: Pieces) -> None:
        if _RULE.match(shown):
            self._rule(shown)
        elif self._in_rows:
            self._row(shown, text, line, offset, pieces)
        elif self._spans and not self._names:
            self._headings(shown)
        elif match := _FOOTER.match(shown):
            self._footer(match, line, offset, pieces)

    def _rule(self, rule: str) -> None:
        spans = [match.span() for match in _DASHES.finditer(rule)]
        if self._names and spans == self._spans:
            # The second rule of a table opens its rows, the third closes them.
            self._in_rows = not self._in_rows
            if not self._in_rows:
                self._spans, self._names = [], []
        else:
            self._spans, self._names, self._in_rows = spans, [], False

    def _headings(self, line: str) -> bool:
        # A heading may be wider than its column, and contain single blanks.
        names = _BLANKS.split(line.strip())
        if len(names) == len(self._spans) == len(set(names)) and any(
            set(names) >= set(wanted) for wanted in self.definition.headers
        ):
            self._names = names
        else:
            self._spans = []
        return bool(self._names)

    def _cells(self, line: str) -> list[str] | None:
        # A cell wider than its column shifts the cells behind it: then the blanks between cells divide them.
        ends = [start for start, _ in self._spans[1:]] + [max(len(line), self._spans[-1][1])]
        cells = [line[start:end] for (start, _), end in zip(self._spans, ends, strict=True)]
        widths = [end - start for start, end in self._spans]
        if any(cell[width:].strip() for cell, width in zip(cells, widths, strict=True)):
            cells = _BLANKS.split(line.strip())
            return cells if len(cells) == len(self._spans) else None
        return [cell.strip(BLANKS) for cell in cells]

    def _row(self, shown: str, text: bytes, line: int, offset: int, pieces: Pieces) -> None:
        cells = self._cells(shown)
        if cells is None or (not cells[-1] and len(shown.rstrip()) <= self._spans[-1][0]):
            if cells is not None and not cells[0] and not any(NUMBER_CELL.match(cell) for cell in cells):
                # The stack of the row above continues, without numbers.
                return
            reject(pieces, line, offset, self.record.name, rows.BAD_CELL if cells is None else rows.CUT_ROW, text)
            return
        self.add_row(partial(self._row_values, cells), (line, offset), text, pieces)

    def _row_values(self, cells: list[str]) -> tuple[Columns, list[Pair]]:
        columns: Columns = {}
        pairs: list[Pair] = []
        for name, cell in zip(self._names, cells, strict=True):
            column = self.definition.columns.get(name)
            if column is None:
                pairs.append(pair_of(self.layouts, name, cell))
            else:
                columns[column] = column_of(column, cell)
        return columns, pairs

    def _footer(self, match: re.Match[str], line: int, offset: int, pieces: Pieces) -> None:
        name, record = match.group(1).strip(), self.format.records[-1]
        if (record.name, name) in self.format.fields:
            try:
                pairs = [pair_of(self.layouts, name, match.group(2))]
                refuse_cut(self.layouts, record, pairs)
                row = make_row(self.layouts, record, pairs, {}, (line, offset))
            except Refused as error:
                reject(pieces, line, offset, record.name, str(error), match.group(0).encode())
                return
            pieces.pieces += 1
            pieces.rows.append(row)


class ColumnsReader(FileReader):
    opens = b"#"

    def __init__(self, log_format: LogFormat) -> None:
        super().__init__(log_format)
        assert log_format.columns is not None
        self.definition = log_format.columns
        self._names: list[str] = []
        self._units: list[str | None] = []

    def fits(self, head: bytes, complete: bool) -> str | None:  # noqa: ARG002 - a FileReader
        first = head[:BLOCK].lstrip().partition(b"\n")[0]
        return self._evidence(first)

    def fits_late(self, head: bytes, complete: bool) -> str | None:  # noqa: ARG002 - a FileReader
        lines = head[:BLOCK].splitlines() if b"#" in head[:BLOCK] else []
        return next((why for text in lines if (why := self._evidence(text))), None)

    def begin(self, head: bytes) -> None:  # noqa: ARG002 - a FileReader
        self._names, self._units = [], []

    def read(self, buffer: bytes, base: int, line: int, pieces: Pieces) -> int:
        for text, number, offset in lines_of(buffer, base, line):
            # A quoted table may be indented.
            if text.lstrip().startswith(b"#"):
                self._head(text.lstrip())
            elif self._names and text.strip():
                self._row(text, number, offset, pieces)
        return line + buffer.count(b"\n")

    def _evidence(self, line: bytes) -> str | None:
        names = self._header(line.lstrip())
        return f"the header names {' '.join(names[:4])}" if names else None

    def _header(self, line: bytes) -> list[str]:
        if not line.startswith(b"#") or len(line) > rows.PIECE_LIMIT:
            return []
        names = _split(decode(line[1:]))
        shown = f" {' '.join(names)} "
        fits = any(f" {' '.join(wanted)} " in shown for wanted in self.definition.headers)
        return names if fits and len(set(names)) == len(names) else []

    def _head(self, line: bytes) -> None:
        if names := self._header(line):
            self._names, self._units = names, [None] * len(names)
        elif len(units := _split(decode(line[1:]))) == len(self._names):
            self._units = list(units)

    def _row(self, text: bytes, line: int, offset: int, pieces: Pieces) -> None:
        if len(text) > rows.PIECE_LIMIT:
            reject(pieces, line, offset, self.record.name, rows.TOO_LONG, text)
            return
        cells = _split(decode(text), len(self._names) - 1)
        if not cells or not cells[0][:1].isdecimal():
            # Other output of the monitor, such as `Killed`.
            return
        cells[-1] = cells[-1].strip(BLANKS)
        is_label = self.definition.columns.get(self._names[-1]) == "label"
        if len(cells) != len(self._names) or (" " in cells[-1] and not is_label):
            reject(pieces, line, offset, self.record.name, rows.CUT_ROW, text)
            return
        named = dict(zip(self._names, cells, strict=True))
        self.add_row(lambda: self._values(named), (line, offset), text, pieces)

    def _values(self, cells: dict[str, str]) -> tuple[Columns, list[Pair]]:
        columns = self._time(cells)
        pairs: list[Pair] = []
        for (name, cell), unit in zip(cells.items(), self._units, strict=True):
            column = self.definition.columns.get(name)
            if column is not None:
                columns[column] = column_of(column, cell)
            elif name not in (self.definition.date, self.definition.time):
                pairs.append(pair_of(self.layouts, name, cell, unit))
        return columns, pairs

    def _time(self, cells: dict[str, str]) -> Columns:
        time, date = cells.get(self.definition.time or ""), cells.get(self.definition.date or "")
        if time is None:
            return {}
        if date is None:
            # A clock without a date stays one.
            return {"clock_s": _clock(time)}
        shown = f"{date[:4]}-{date[4:6]}-{date[6:]} {time}" if len(date) == 8 else f"{date} {time}"
        logged_at = to_time(shown.encode("ascii", "replace"))
        if logged_at is None:
            raise Refused(rows.BAD_TIME)
        return {"logged_at": logged_at}


def _split(line: str, most: int = -1) -> list[str]:
    # Only the last column, a command, can contain blanks. `--format csv` has commas. A no-break space is not a blank.
    if "," in line:
        return [cell.strip(BLANKS) for cell in line.split(",", most)]
    return [line] if most == 0 else re.split(r"[ \t\r]+", line.strip(" \t\r"), maxsplit=max(most, 0))


def _clock(time: str) -> float:
    parts = time.split(":")
    if len(parts) != 3 or not all(part.isascii() and part.replace(".", "", 1).isdecimal() for part in parts):
        raise Refused(rows.BAD_TIME)
    seconds = to_seconds(time.encode())
    if seconds is None or seconds >= 86400:
        raise Refused(rows.BAD_TIME)
    return seconds
