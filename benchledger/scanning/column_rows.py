"""Reads columns separated by blanks below a `#` header line, which may repeat and change: nvidia-smi dmon and pmon."""

from __future__ import annotations

import re
from typing import Any

from benchledger.definitions.log_format import LogFormat
from benchledger.scanning import rows
from benchledger.scanning.detection import BLOCK
from benchledger.scanning.file_reader import BLANKS, NOT_STATED, NUMBER_CELL, FileReader, lines_of, pair_of, reject
from benchledger.scanning.json_values import column_value
from benchledger.scanning.rows import Columns, Pair, Pieces, Refused
from benchledger.scanning.values import decode, to_seconds, to_time

_WHOLE = ("step", "epoch", "rank")


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
                columns[column] = None if cell in NOT_STATED else _column(column, cell)
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


def _column(name: str, cell: str) -> Any:
    if name not in _WHOLE:
        return cell
    match = NUMBER_CELL.match(cell)
    if match is None:
        raise Refused(rows.BAD_NUMBER)
    return column_value(name, float(match.group(1)))
