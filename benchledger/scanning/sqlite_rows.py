"""Reads SQLite files of profilers (nvvp, `nsys export`), in memory from the bytes of the log.

Such a file may contain views, triggers and virtual tables, which would run code when queried. Only ordinary tables that
the format names are queried, column by column, under an authorizer that allows nothing else.
"""

from __future__ import annotations

import math
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any

from benchledger.definitions.file_maps import SqliteMap
from benchledger.definitions.log_format import RecordDefinition
from benchledger.definitions.vocabulary import vocabulary
from benchledger.scanning import rows
from benchledger.scanning.file_reader import FileReader, reject
from benchledger.scanning.rows import Columns, Pair, Pieces, Refused, make_row, scaled
from benchledger.scanning.values import decode, refuse_cut

MAGIC = b"SQLite format 3\x00"
_ALLOWED = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ)
# About two billion steps of SQLite's virtual machine, more than a hundred million rows need: it stops endless queries.
_STEPS, _CALLS = 100_000, 20_000
_SHOWN = 1_000


class SqliteReader(FileReader):
    whole = True
    opens = MAGIC[:1]

    def fits(self, head: bytes, complete: bool) -> str | None:  # noqa: ARG002 - a FileReader
        if head.startswith(MAGIC):
            for names in self.format.tables:
                if all(_creates(head, name) for name in names):
                    return f"an SQLite file with {', '.join(names)}"
        return None

    def read(self, buffer: bytes, base: int, line: int, pieces: Pieces) -> int:
        self._number = base
        try:
            with closing(sqlite3.connect(":memory:")) as file:
                file.deserialize(_without_wal(buffer))
                _guard(file)
                first = self._first(file)
                for record in self.format.records:
                    if record.sqlite is not None:
                        self._record(file, record, record.sqlite, first, pieces)
        except (sqlite3.Error, UnicodeDecodeError, OverflowError, MemoryError) as error:
            # The message may quote the file: it is text of the log, not the reason.
            text = str(error).encode("utf-8", "backslashreplace")
            reject(pieces, self._number + 1, self._number, None, rows.BAD_SQLITE, text)
        return line + buffer.count(b"\n")

    def _first(self, file: sqlite3.Connection) -> float:
        # A record's clock counts from the first start in the file: a float cannot hold nanoseconds since 1970.
        starts = [
            start
            for record in self.format.records
            if (definition := record.sqlite) is not None
            for _, start in _spans(file, definition)
        ]
        return min(starts, default=0)

    def _record(
        self, file: sqlite3.Connection, record: RecordDefinition, definition: SqliteMap, first: float, pieces: Pieces
    ) -> None:
        scale = vocabulary().spellings[definition.unit][1]
        if definition.span:
            spans = _spans(file, definition)
            if spans:
                start, end = min(start for _, start in spans), max(end for end, _ in spans)
                self._keep(record, definition, (start, end, None, None, {}), first, scale, pieces)
            return
        for table in definition.tables:
            for row in _rows(file, table, definition):
                self._keep(record, definition, row, first, scale, pieces)

    def _keep(
        self, record: RecordDefinition, definition: SqliteMap, row: _Found, first: float, scale: float, pieces: Pieces
    ) -> None:
        start, end, label, device, values = row
        self._number += 1
        place = (self._number, self._number - 1)
        shown = record.name if label is None else str(label)
        numbers = isinstance(start, int | float) and isinstance(end, int | float)
        is_blob = any(isinstance(value, bytes) for value in (label, device, *values.values()))
        is_long = any(isinstance(value, str) and len(value) > rows.PIECE_LIMIT for value in (shown, *values.values()))
        if not numbers or not math.isfinite(end - start) or end < start or is_blob or is_long:
            text = f"{shown[:_SHOWN]}: {start!r} to {end!r}"
            why = rows.TOO_LONG if is_long else rows.BAD_CELL
            reject(pieces, *place, record.name, why, text.encode("utf-8", "backslashreplace"))
            return
        columns: Columns = {
            "clock_s": scaled(start - first, scale),
            "label": None if definition.span else decode(shown.encode("utf-8", "backslashreplace")),
            "device": None if device is None else str(device),
        }
        pairs: list[Pair] = [(definition.duration, float(end - start), None, definition.unit)]
        pairs += [_pair(name, value) for name, value in values.items()]
        try:
            refuse_cut(self.layouts, record, pairs)
            made = make_row(self.layouts, record, pairs, columns, place)
        except Refused as error:
            reject(pieces, *place, record.name, str(error), f"{shown[:_SHOWN]}: {values}".encode())
            return
        pieces.pieces += 1
        pieces.rows.append(made)


_Found = tuple[Any, Any, Any, Any, dict[str, Any]]


def made_file(tables: dict[str, list[list[Any]]]) -> bytes:
    """Returns an SQLite file of these tables, each given as rows of which the first names the columns."""
    with closing(sqlite3.connect(":memory:")) as file:
        for name, (columns, *lines) in tables.items():
            file.execute(f"create table {_quoted(name)} ({', '.join(map(_quoted, columns))})")
            marks = ", ".join("?" * len(columns))
            file.executemany(f"insert into {_quoted(name)} values ({marks})", lines)  # noqa: S608 - quoted
        file.commit()
        return file.serialize()


def _creates(head: bytes, name: str) -> bool:
    pattern = rb"(?i)create +table +(?:if +not +exists +)?[\"'`\[]?" + re.escape(name.encode()) + rb"[\"'`\]\s(]"
    return re.search(pattern, head) is not None


def _without_wal(data: bytes) -> bytes:
    # A file in WAL mode opens only with its log. Marked as a file without, it shows its last checkpoint.
    return data[:18] + b"\x01\x01" + data[20:] if data[18:20] == b"\x02\x02" else data


def _guard(file: sqlite3.Connection) -> None:
    file.text_factory = lambda raw: raw.decode("utf-8", "backslashreplace")
    file.execute("pragma trusted_schema = off")
    file.execute("pragma cell_size_check = on")
    calls = iter(range(_CALLS))
    file.set_progress_handler(lambda: int(next(calls, None) is None), _STEPS)

    def allow(action: int, first: str | None, *_: str | None) -> int:
        function = action == sqlite3.SQLITE_FUNCTION
        fine = action in _ALLOWED or function or (action == sqlite3.SQLITE_PRAGMA and first == "table_info")
        return sqlite3.SQLITE_OK if fine else sqlite3.SQLITE_DENY

    file.set_authorizer(allow)


def _columns(file: sqlite3.Connection, table: str) -> set[str]:
    # A virtual table has no page, a view is not a table, and computed columns are not listed.
    real = "select 1 from sqlite_schema where type = 'table' and name = ? and rootpage > 0"
    if file.execute(real, [table]).fetchone() is None:
        return set()
    return {row[1] for row in file.execute(f"pragma table_info({_quoted(table)})")}


def _spans(file: sqlite3.Connection, definition: SqliteMap) -> list[tuple[float, float]]:
    # The last end and the first start of each existing table.
    found = []
    for table in definition.tables:
        if {definition.start, definition.end} <= _columns(file, table):
            start, end = _quoted(definition.start), _quoted(definition.end)
            numbers = (
                f"typeof({start}) in ('integer', 'real') and typeof({end}) in ('integer', 'real') and {end} < 1e19"
            )
            sql = f"select max({end}), min({start}) from {_quoted(table)} where {numbers}"  # noqa: S608
            last, first = file.execute(sql).fetchone()
            if isinstance(last, int | float) and isinstance(first, int | float):
                found.append((last, first))
    return found


def _rows(file: sqlite3.Connection, table: str, definition: SqliteMap) -> Iterator[_Found]:
    known = _columns(file, table)
    if not known:
        return
    if not {definition.start, definition.end} <= known:
        raise sqlite3.DatabaseError(f"table {table} has no {definition.start} and {definition.end}")
    wanted = [definition.start, definition.end, definition.label, definition.device, *definition.values.values()]
    parts = [f"t.{_quoted(name)}" if name in known else "null" for name in (name or "" for name in wanted)]
    if definition.names and definition.label in known:
        names, id_column, text_column = definition.names
        if {id_column, text_column} <= _columns(file, names):
            # Not a join: an id that occurs a thousand times must not give a thousand rows.
            name = (
                f"select {_quoted(text_column)} from {_quoted(names)} where {_quoted(id_column)} = {parts[2]} limit 1"  # noqa: S608
            )
            parts[2] = f"coalesce(({name}), {parts[2]})"
    sql = f"select {', '.join(parts)} from {_quoted(table)} as t"  # noqa: S608 - names of the format, quoted
    for start, end, label, device, *values in file.execute(sql):
        yield start, end, label, device, dict(zip(definition.values, values, strict=True))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _pair(name: str, value: Any) -> Pair:
    if value is None:
        return name, None, None, None
    if isinstance(value, int | float):
        return name, float(value), None, None
    return name, None, decode(str(value).encode("utf-8", "backslashreplace")), None
