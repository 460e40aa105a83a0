"""Makes the facade of a lake: a small ledger whose tables are views of the files of one snapshot."""

from __future__ import annotations

import os
import secrets
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from benchledger.definitions.regular_file import need_regular_ledger
from benchledger.errors import DatabaseError, UsageError, cure_of_writing
from benchledger.ingestion.remote import is_remote
from benchledger.lake.delta import Column, Snapshot, TableVersion, columns_of, published_tables
from benchledger.lake.objects import TABLES, VIEWS, Lake
from benchledger.store.copies import copy_to, open_in_memory
from benchledger.store.facade import MAKE_FACADE, Facade, facade_in, use_lake
from benchledger.store.scratch import work_folder
from benchledger.store.tables import Table, quoted, quoted_text

if TYPE_CHECKING:
    import duckdb

FACADE = "facade.duckdb"


def write_facade(lake: Lake, snapshot: Snapshot, file: Path | None) -> str:
    """Writes the facade of a snapshot, by default into the lake, unless it is there already; says where it is.

    Raises UsageError for a file of another kind.
    """
    if file is None and not is_remote(lake.place):
        file = Path(lake.place) / FACADE
    if file is not None:
        _write(lake, snapshot, file)
        return str(file)
    with work_folder() as folder:
        copy = folder / FACADE
        there = lake.get(FACADE)
        if there is not None:
            copy.write_bytes(there)
        if _write(lake, snapshot, copy):
            lake.put(FACADE, copy)
    return f"{lake.place}/{FACADE}"


def _write(lake: Lake, snapshot: Snapshot, file: Path) -> bool:
    """Writes a facade; returns False if it is there."""
    folder, home = os.path.realpath(lake.place), os.path.realpath(file.parent)
    place = lake.place if is_remote(lake.place) else None if folder == home else os.path.relpath(folder, home)
    size = sum(table.bytes for table in snapshot.tables.values())
    files = [file for file in snapshot.files if not file.startswith(f"{TABLES}/{VIEWS}/")]
    facade = Facade(place, snapshot.number, size, files)
    if os.path.lexists(file) and _facade_at(file) == facade:
        return False
    scratch = file.with_name(f"{file.name}.new-{secrets.token_hex(8)}")
    try:
        with closing(open_in_memory()) as con:
            use_lake(con, facade.lake_of(file))
            columns = columns_of(con)
            for table in published_tables(con):
                _make_view(con, table, columns[table], snapshot.tables[f"{table.schema}/{table.name}"])
            con.execute(MAKE_FACADE)
            con.execute("insert into kept.facade values (?, ?, ?, ?)", [*vars(facade).values()])
            copy_to(con, scratch)
        scratch.replace(file)
    except OSError as error:
        raise DatabaseError(f"{file}: cannot be written: {error.strerror}. {cure_of_writing(error)}") from error
    finally:
        for left in (scratch, Path(f"{scratch}.wal")):
            left.unlink(missing_ok=True)
    return True


def _facade_at(file: Path) -> Facade:
    import duckdb

    need_regular_ledger(file)
    try:
        with duckdb.connect(str(file), read_only=True) as con:
            there = facade_in(con)
    except duckdb.Error:
        there = None
    if there is None:
        raise UsageError(f"{file}: exists already, and is no facade. Name another file with --facade")
    return there


def _make_view(con: duckdb.DuckDBPyConnection, table: Table, columns: list[Column], version: TableVersion) -> None:
    """Replaces an empty table by a view of its files, with the same columns, types and comments."""
    (about,) = con.execute(
        "select comment from duckdb_tables() where schema_name = ? and table_name = ?", [table.schema, table.name]
    ).fetchall()[0]
    con.execute(f"drop table {table.sql}; create view {table.sql} as {_rows(table, columns, version)}")
    for what, comment in [
        (f"view {table.sql}", about),
        *((f"column {table.sql}.{quoted(column.name)}", column.comment) for column in columns),
    ]:
        if comment:
            con.execute(f"comment on {what} is {quoted_text(comment)}")


def _rows(table: Table, columns: list[Column], version: TableVersion) -> str:
    if not version.files:
        return f"select {', '.join(f'null::{kind} as {quoted(name)}' for name, kind, _ in columns)} where false"
    taken = ", ".join(f"{quoted(name)}::{kind} as {quoted(name)}" for name, kind, _ in columns)
    files = ", ".join(
        f"coalesce(getvariable('lake'), '') || '{TABLES}/{table.schema}/{table.name}/{file}'" for file in version.files
    )
    return f"select {taken} from read_parquet([{files}], hive_partitioning = false)"  # noqa: S608 - our own names
