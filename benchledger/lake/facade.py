"""Makes the facade of a lake: a small ledger whose tables are views of the files of one snapshot."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from benchledger.errors import DatabaseError, UsageError, cure_of_writing
from benchledger.lake.delta import Column, columns_of, published_tables
from benchledger.lake.objects import TABLES, Lake
from benchledger.lake.snapshots import Snapshot, TableVersion
from benchledger.store.copies import copy_to
from benchledger.store.database import open_in_memory
from benchledger.store.facade import MAKE_FACADE, Facade, facade_in
from benchledger.store.tables import Table, quoted

if TYPE_CHECKING:
    import duckdb

FACADE = "facade.duckdb"
_TEXT = "'"


def write_facade(lake: Lake, snapshot: Snapshot, file: Path) -> None:
    """Writes the facade of a snapshot, unless it is there already. Raises UsageError for a file of another kind."""
    folder = os.path.realpath(lake.place)
    home = os.path.realpath(file.parent)
    size = sum(table.bytes for table in snapshot.tables.values())
    facade = Facade(os.path.relpath(folder, home) if folder != home else None, snapshot.number, size, snapshot.files)
    if os.path.lexists(file) and _facade_at(file) == facade:
        return
    scratch = file.with_name(f"{file.name}.new-{os.getpid()}")
    try:
        with closing(open_in_memory()) as con:
            con.execute("set variable lake = ?", [os.path.join(folder, "")])
            for table in published_tables(con):
                _make_view(con, table, snapshot.tables[f"{table.schema}/{table.name}"])
            con.execute(MAKE_FACADE)
            con.execute("insert into kept.facade values (?, ?, ?, ?)", [*vars(facade).values()])
            copy_to(con, scratch)
        scratch.replace(file)
    except OSError as error:
        raise DatabaseError(f"{file}: cannot be written: {error.strerror}. {cure_of_writing(error)}") from error
    finally:
        for left in (scratch, Path(f"{scratch}.wal")):
            left.unlink(missing_ok=True)


def _facade_at(file: Path) -> Facade:
    import duckdb

    try:
        with duckdb.connect(str(file), read_only=True) as con:
            there = facade_in(con)
    except duckdb.Error:
        there = None
    if there is None:
        raise UsageError(f"{file}: exists already, and is no facade. Name another file with --facade")
    return there


def _make_view(con: duckdb.DuckDBPyConnection, table: Table, version: TableVersion) -> None:
    """Replaces an empty table by a view of its files, with the same columns, types and comments."""
    columns = columns_of(con, table)
    (about,) = con.execute(
        "select comment from duckdb_tables() where schema_name = ? and table_name = ?", [table.schema, table.name]
    ).fetchall()[0]
    con.execute(f"drop table {table.sql}; create view {table.sql} as {_rows(table, columns, version)}")
    for what, comment in [
        (f"view {table.sql}", about),
        *((f"column {table.sql}.{quoted(column.name)}", column.comment) for column in columns),
    ]:
        if comment:
            con.execute(f"comment on {what} is {quoted(comment, _TEXT)}")


def _rows(table: Table, columns: list[Column], version: TableVersion) -> str:
    if not version.files:
        return f"select {', '.join(f'null::{kind} as {quoted(name)}' for name, kind, _ in columns)} where false"
    taken = ", ".join(f"{quoted(name)}::{kind} as {quoted(name)}" for name, kind, _ in columns)
    files = ", ".join(
        f"coalesce(getvariable('lake'), '') || '{TABLES}/{table.schema}/{table.name}/{file}'" for file in version.files
    )
    return f"select {taken} from read_parquet([{files}], hive_partitioning = false)"  # noqa: S608 - our own names
