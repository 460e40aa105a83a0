"""Reads CSV telemetry: columns by header name, or by the column lists of files without a header."""

from __future__ import annotations

import csv
import re
from functools import lru_cache, partial
from typing import Any

from benchledger.definitions.file_maps import CsvColumn, CsvDefinition
from benchledger.definitions.log_format import LogFormat
from benchledger.scanning import rows
from benchledger.scanning.detection import BLOCK
from benchledger.scanning.file_reader import BLANKS, NUMBER_CELL, FileReader, lines_of, number_in
from benchledger.scanning.rows import Columns, Pair, Pieces, Refused, exact
from benchledger.scanning.values import decode, to_time

# A file without a header is read by a column list if at least this share of its lines fits.
FITTING_SHARE = 0.9
LEAST_LINES = 2

_HEADER_CELL = re.compile(r"([A-Za-z][A-Za-z0-9_./:()-]{0,63})(?: \[([^\]]{1,16})\])?\Z")
# A line of a shell: `user@host:~$ nvidia-smi ...`, `# nvidia-smi`, `C:\\>nvidia-smi`, `+ nvidia-smi`, or of `script`.
_PROMPT = re.compile(
    rb"(?:\^C)?(?:\([^()\s]*+\) )?(?:\[[^]]*+\]|[^\s,$#>]*+)[$#>](?:[ \t][^\r\n]*+)?\r?\Z"
    rb"|(?:PS )?[A-Za-z]:\\[^>\r\n]*+>|\+ |Script (?:started|done) "
)
# Characters that no column name contains; a unit stands in brackets.
_NO_NAME = re.compile(rb"[!#-'*+;-@\\^`{|}~]")
_WHOLE = re.compile(r"[0-9]{1,18}\Z")
_WHOLE_OR_DECIMAL = re.compile(r"[0-9]{1,18}(?:\.[0-9]{0,18})?\Z")
_BITS = {"step": 63, "epoch": 63, "rank": 31}
_NOT_STATED = {"", "N/A", "[N/A]", "[Not Supported]", "[Unknown Error]", "[Insufficient Permissions]", "-"}


class CsvReader(FileReader):
    """Reads the lines of one CSV format. A header is the first line that is neither blank nor a shell's."""

    def __init__(self, log_format: LogFormat) -> None:
        super().__init__(log_format)
        assert log_format.csv is not None
        self.definition: CsvDefinition = log_format.csv
        self._option = self.definition.command.get("columns", "").encode()
        self._columns: list[tuple[str, str | None]] = []
        self._list: tuple[CsvColumn, ...] | None = None
        self._header = b""
        self._is_commanded = False

    def fits(self, head: bytes, complete: bool) -> str | None:  # noqa: ARG002 - a FileReader
        head = head[:BLOCK]
        if commanded := self._columns_of_command(head):
            self._list = None
            return f"a command line names the columns {', '.join(name for name, _ in commanded)}"
        if (named := self._known_header(_first_line(head))) is None:
            return None
        self._list = None
        return f"the header line names {named!r}"

    def _known_header(self, first: bytes) -> str | None:
        columns = _header_of(first)
        if not columns:
            return None
        # Any CSV may have a column `driver_version`. It proves the format by a unit, or if the header has only `, `.
        spaced = first.count(b", ") == len(columns) - 1
        names, proving = {name for name, _ in columns}, {name for name, unit in columns if unit or spaced}
        for known in self.definition.headers:
            if names >= set(known) and (len(known) > 1 or known[0] in proving):
                return known[0]
        return None

    def fits_late(self, head: bytes, complete: bool) -> str | None:
        head, complete = head[:BLOCK], complete and len(head) <= BLOCK
        if self._list_of([_first_line(head)], least_lines=1) is None:
            return None
        self._list = fitting = self._list_of(_lines(head, complete))
        if fitting is None:
            return None
        return f"lines read {', '.join(column.name for column in fitting)}, without a header"

    def begin(self, head: bytes) -> None:
        self._is_commanded = bool(commanded := self._columns_of_command(head[:BLOCK]))
        self._header = b"" if self._list or commanded else _first_line(head[:BLOCK])
        listed = commanded or [(one.name, one.unit) for one in self._list or ()]
        self._columns = listed or list(_header_of(self._header))

    def read(self, buffer: bytes, base: int, line: int, pieces: Pieces) -> int:
        for text, number, offset in lines_of(buffer, base, line):
            stripped = text.strip(b" \t\r")
            if not stripped or stripped == self._header:
                # The header occurs again where a second monitor appended to the same file.
                continue
            if _PROMPT.match(stripped):
                if self._option and self._option in stripped:
                    # No row of a second command is read by the columns of the first.
                    self._header = b""
                    self._columns, self._is_commanded = self._columns_of(stripped), True
            elif stripped[:1].isalpha() and self._known_header(stripped) is not None:
                self._header, self._columns = stripped, list(_header_of(stripped))
                self._is_commanded = False
            else:
                cells = cells_of(stripped)
                self.add_row(partial(self._values, cells, stripped), (number, offset), stripped, pieces)
        return line + buffer.count(b"\n")

    def _values(self, cells: list[str], text: bytes) -> tuple[Columns, list[Pair]]:
        if len(text) > rows.PIECE_LIMIT:
            raise Refused(rows.TOO_LONG)
        if len(cells) != len(self._columns):
            raise Refused(rows.CUT_ROW)
        if self._list and not all(_fits(column, cell) for column, cell in zip(self._list, cells, strict=True)):
            raise Refused(rows.BAD_CELL)
        if self._is_commanded and not self._fit(self._columns, cells):
            raise Refused(rows.BAD_CELL)
        columns: Columns = {}
        pairs: list[Pair] = []
        for (name, header_unit), cell in zip(self._columns, cells, strict=True):
            column = self.definition.columns.get(name)
            if column is not None:
                columns[column] = _column(column, cell)
                continue
            match = number_in(self.layouts, cell)
            stated = cell not in _NOT_STATED
            value = exact(match.group(1)) if match and stated else None
            unit = (match.group(2) if match else None) or header_unit
            pairs.append((name, value, cell if stated and not match else None, unit))
        return columns, pairs

    def _columns_of_command(self, head: bytes) -> list[tuple[str, str | None]]:
        # The columns that the command line lists, if it asks for no header and the first row fits them. It may not fit:
        # another program can print below a command whose rows go into a file.
        columns: list[tuple[str, str | None]] = []
        for line in head.lstrip().split(b"\n", 9)[:9] if self._option and self._option in head else ():
            if _PROMPT.match(line):
                columns = self._columns_of(line) or columns
            elif columns and line.strip():
                return columns if self._fit(columns, cells_of(line.strip())) else []
        return []

    def _columns_of(self, line: bytes) -> list[tuple[str, str | None]]:
        listed = line.partition(self._option)[2].split(maxsplit=1)
        if not listed or self.definition.command["no_header"].encode() not in line:
            return []
        names = decode(listed[0]).strip("'\"").split(",")
        units = self.definition.units if self.definition.command["no_units"].encode() in line else {}
        return [(name, units.get(name)) for name in names] if all(map(_HEADER_CELL.match, names)) else []

    def _fit(self, columns: list[tuple[str, str | None]], cells: list[str]) -> bool:
        return len(cells) == len(columns) and all(
            cell in _NOT_STATED or name not in self.definition.units or number_in(self.layouts, cell) is not None
            for (name, _), cell in zip(columns, cells, strict=True)
        )

    def _list_of(self, lines: list[bytes], least_lines: int = LEAST_LINES) -> tuple[CsvColumn, ...] | None:
        if len(lines) < least_lines:
            return None
        split = [cells_of(line) for line in lines]
        for columns in self.definition.headerless:
            fitting = sum(
                len(cells) == len(columns)
                and all(_fits(column, cell) for column, cell in zip(columns, cells, strict=True))
                for cells in split
            )
            if fitting >= FITTING_SHARE * len(lines):
                return columns
        return None


@lru_cache(maxsize=1)  # all CSV formats ask for the first line of a file
def _first_line(head: bytes) -> bytes:
    lines = head.lstrip().split(b"\n", 8)[:8]
    return next((line for line in lines if line.strip() and not _PROMPT.match(line)), lines[0]).strip()


def _lines(head: bytes, complete: bool) -> list[bytes]:
    lines = head.splitlines()
    if not complete and len(lines) > 1:
        # The last line may be truncated.
        lines.pop()
    return [line for line in lines if line.strip()]


@lru_cache(maxsize=4)
def _header_of(line: bytes) -> tuple[tuple[str, str | None], ...]:
    if b"[" not in line and _NO_NAME.search(line):
        return ()
    cells = [_HEADER_CELL.match(cell) for cell in cells_of(line)]
    return tuple((match.group(1), match.group(2)) for match in cells if match) if all(cells) else ()


def cells_of(line: bytes) -> list[str]:
    """Returns the cells of a line without the blanks around them; none of a line that is too long or no CSV."""
    if len(line) > rows.PIECE_LIMIT:
        return []
    try:
        return [cell.strip(BLANKS) for cell in next(csv.reader([decode(line)], skipinitialspace=True, strict=True), [])]
    except csv.Error:
        return []


def _column(name: str, cell: str) -> Any:
    stated = cell not in _NOT_STATED
    if name == "logged_at":
        value: Any = to_time(cell.encode("ascii", "replace")) if stated else None
    elif not stated:
        return None
    elif name == "clock_s":
        value = float(cell) if _WHOLE_OR_DECIMAL.match(cell) else None
    elif name in _BITS:
        value = int(cell) if _WHOLE.match(cell) and int(cell) < 2 ** _BITS[name] else None
    else:
        value = cell
    if value is None:
        raise Refused(rows.BAD_CELL)
    return value


def _fits(column: CsvColumn, cell: str) -> bool:
    match = NUMBER_CELL.match(cell)
    return match is not None and match.group(2) == column.unit and column.least <= float(match.group(1)) <= column.most
