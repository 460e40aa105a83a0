"""Writes the tables of a ledger as Delta tables of a lake, and snapshots, which list the versions that belong together.

A file is written only for new rows. Each table is committed, and then the snapshot: who reads through a snapshot sees
all tables as one publish left them. Files of the last two snapshots stay, so that readers of the older one can finish.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
import uuid
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from benchledger.errors import DatabaseError, missing_extra
from benchledger.ingestion.remote import is_remote
from benchledger.lake.objects import SNAPSHOTS, TABLES, VIEWS, Lake
from benchledger.lake.parts import put_rows
from benchledger.store.tables import Table, quoted, tables_of

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa
    from deltalake import DeltaTable, Schema

_LOG = "/_delta_log/"
# Of records 100 MB.
CHUNK_ROWS = 5_000_000
# Each ledger has its own.
_OWN = {Table("kept", "schema_version")}
# Delta has no types for these.
_STORED_AS = {"JSON": "varchar", "UBIGINT": "decimal(20, 0)"}
# Views that people read have no table in a ledger, but in the lake, for programs that do not know the views' SQL. Only
# the one of all values is left out: it would be the largest table.
_VIEWS_READ = """
select view_name from duckdb_views()
where schema_name = 'main' and not internal and not temporary and view_name <> 'measurement'
order by view_name
"""
_COLUMNS = """
select schema_name, table_name, column_name, data_type, comment
from duckdb_columns()
where database_name = current_database()
order by column_index
"""


@dataclass(frozen=True)
class TableVersion:
    """One Delta table: its version, the rows of each of its files in order, and their bytes together."""

    version: int
    files: dict[str, int]
    bytes: int


@dataclass(frozen=True)
class Snapshot:
    """The tables that one publish made, by SCHEMA/NAME, and a digest of what it made them from."""

    number: int
    inputs: str
    tables: dict[str, TableVersion]

    @property
    def files(self) -> list[str]:
        """The keys of all its files."""
        return [f"{TABLES}/{name}/{file}" for name, table in self.tables.items() for file in table.files]


def latest_snapshot(lake: Lake) -> Snapshot | None:
    """The snapshot of the last publish that came to its end."""
    keys = sorted(lake.objects(SNAPSHOTS))
    return _snapshot(lake, keys[-1]) if keys else None


def put_snapshot(lake: Lake, snapshot: Snapshot) -> None:
    """Makes a snapshot the latest. Raises DatabaseError if another publish has made one of its number."""
    content = {"inputs": snapshot.inputs, "tables": {name: asdict(table) for name, table in snapshot.tables.items()}}
    if not lake.put_new(f"{SNAPSHOTS}/{snapshot.number:08}", json.dumps(content).encode()):
        raise DatabaseError(f"{lake.place}: another process published it at the same time. Publish it again")


def needed_files(lake: Lake, objects: dict[str, tuple[int, datetime]], age: timedelta) -> set[str]:
    """The keys of snapshots, tables and their logs that a reader may need.

    These are the last two snapshots, those that were replaced within `age`, and of a table that was written after the
    last snapshot all files: some are those of its latest version.
    """
    keys = sorted(key for key in objects if key.startswith(f"{SNAPSHOTS}/"))
    since = datetime.now(UTC) - age
    young = [key for key, after in pairwise(keys) if objects[after][1] > since]
    kept = {key: _snapshot(lake, key) for key in {*keys[-2:], *young}}
    needed = {*kept, *(file for snapshot in kept.values() for file in snapshot.files)}
    versions: dict[str, int] = {}
    for key in objects:
        table, in_log, name = key.partition(_LOG)
        if in_log:
            needed.add(key)
            if name.endswith(".json"):
                versions[table] = max(versions.get(table, 0), int(name.removesuffix(".json")))
    latest = kept[keys[-1]].tables if keys else {}
    known = {f"{TABLES}/{name}": table.version for name, table in latest.items()}
    ahead = {table for table, version in versions.items() if version != known.get(table)}
    return needed | {key for key in objects if key.rpartition("/")[0] in ahead}


def _snapshot(lake: Lake, key: str) -> Snapshot:
    content = lake.json(key, _is_snapshot)
    tables = {name: TableVersion(**table) for name, table in content["tables"].items()}
    return Snapshot(int(key.rpartition("/")[2]), content["inputs"], tables)


def _is_snapshot(found: Any) -> bool:
    tables = found.get("tables") if isinstance(found, dict) and isinstance(found.get("inputs"), str) else None
    return isinstance(tables, dict) and all(map(_is_table, tables.values()))


def _is_table(found: Any) -> bool:
    return (
        isinstance(found, dict)
        and found.keys() == {"version", "files", "bytes"}
        and isinstance(found["version"], int)
        and isinstance(found["bytes"], int)
        and isinstance(found["files"], dict)
        and all("/" not in name and isinstance(rows, int) for name, rows in found["files"].items())
    )


class Column(NamedTuple):
    """A column of a ledger's table."""

    name: str
    type: str
    comment: str | None


class _Chunk(NamedTuple):
    """Rows of a table that are one file."""

    first: int
    last: int
    rows: int


def published_tables(con: duckdb.DuckDBPyConnection) -> list[Table]:
    """The tables of a ledger that a lake publishes."""
    return [table for table in tables_of(con) if table not in _OWN]


def columns_of(con: duckdb.DuckDBPyConnection) -> dict[Table, list[Column]]:
    """The columns of each table and view. All at once: for each list DuckDB plans all views."""
    found: dict[Table, list[Column]] = {}
    for schema, name, *column in con.execute(_COLUMNS).fetchall():
        found.setdefault(Table(schema, name), []).append(Column(*column))
    return found


def need_deltalake() -> None:
    """Raises UsageError where Delta tables cannot be written."""
    try:
        import deltalake  # noqa: F401 - only whether it is there
    except ImportError as error:
        raise missing_extra("the tables of a lake (but not --into FILE) need deltalake", error, "lake") from error


def write_snapshot(con: duckdb.DuckDBPyConnection, lake: Lake, inputs: str) -> Snapshot:
    """Writes each table of a ledger in a commit of its own, if its rows have changed, and then the snapshot of all.

    `inputs` is a digest of what the ledger was made from. Raises DatabaseError where another process does the same.
    """
    before, columns = latest_snapshot(lake), columns_of(con)
    tables = {
        f"{table.schema}/{table.name}": _write(con, lake, table, columns[table]) for table in published_tables(con)
    }
    for (name,) in con.execute(_VIEWS_READ).fetchall():
        con.execute(f"create or replace temp table published_view as from {quoted(name)} order by all")
        view = Table("main", name)
        tables[f"{VIEWS}/{name}"] = _write(con, lake, view, columns[view], VIEWS, "published_view")
    snapshot = Snapshot(before.number + 1 if before else 1, inputs, tables)
    put_snapshot(lake, snapshot)
    return snapshot


def _write(
    con: duckdb.DuckDBPyConnection,
    lake: Lake,
    table: Table,
    columns: list[Column],
    folder: str | None = None,
    rows: str | None = None,
) -> TableVersion:
    """Writes a table, or a view whose rows are in another table."""
    from deltalake import Schema
    from deltalake.transaction import AddAction, RemoveAction

    key, source = f"{TABLES}/{folder or table.schema}/{table.name}", rows or table.sql
    taken = ", ".join(f"{quoted(name)}::{_STORED_AS.get(kind, kind)} as {quoted(name)}" for name, kind, _ in columns)
    rows_of = f"select {taken} from {source}"  # noqa: S608 - quoted
    schema = Schema.from_arrow(_arrow_schema(con, rows_of, columns))
    delta = _delta_table(lake, key, schema)
    sizes, chunks = _files(delta), _chunks(con, source, schema.to_json())
    now, has_schema = int(time.time() * 1000), delta.schema() == schema
    # To change the columns is to overwrite the table; then all files are new, and deltalake removes the others.
    gone = [file for file in sizes if file not in chunks] if has_schema else []
    actions: list[AddAction | RemoveAction] = [RemoveAction(file, True, now, sizes[file], {}) for file in gone]
    for file, chunk in chunks.items():
        if file not in sizes:
            its_rows = f"{rows_of} where rowid between {chunk.first} and {chunk.last}"
            sizes[file] = put_rows(con, lake, f"{key}/{file}", its_rows)
            actions.append(AddAction(file, sizes[file], {}, now, True, json.dumps({"numRecords": chunk.rows})))
    if actions or not has_schema:
        mode = "append" if has_schema else "overwrite"
        delta.create_write_transaction(actions, mode=mode, schema=schema, partition_by=[])
        delta.update_incremental()
    if _files(delta).keys() != chunks.keys():
        raise DatabaseError(f"{lake.place}/{key}: another process wrote it at the same time. Publish the lake again")
    counts = {file: chunk.rows for file, chunk in chunks.items()}
    return TableVersion(delta.version(), counts, sum(sizes[file] for file in chunks))


def _arrow_schema(con: duckdb.DuckDBPyConnection, rows_of: str, columns: list[Column]) -> pa.Schema:
    import pyarrow as pa

    found = con.execute(f"{rows_of} limit 0").to_arrow_reader().schema
    comments = {column.name: {"comment": column.comment} if column.comment else None for column in columns}
    return pa.schema([field.with_metadata(comments[field.name]) for field in found])


def _chunks(con: duckdb.DuckDBPyConnection, source: str, schema: str) -> dict[str, _Chunk]:
    """The rows of each file of a table, by a name that tells what they are, in order."""
    found = con.execute(
        f"select min(rowid), max(rowid), count(*), sum(hash(rowid, one)::hugeint) "  # noqa: S608 - quoted
        f"from {source} as one group by rowid // {CHUNK_ROWS} order by 1"
    ).fetchall()
    names = [hashlib.blake2b(f"{schema} {row}".encode(), digest_size=16).hexdigest() for row in found]
    return {f"{name}.parquet": _Chunk(*row[:3]) for name, row in zip(names, found, strict=True)}


def _delta_table(lake: Lake, key: str, schema: Schema) -> DeltaTable:
    """A Delta table, made if there is none. Not by deltalake, whose first commit tells the real path of the table."""
    from deltalake import DeltaTable

    features = {"readerFeatures": ["timestampNtz"], "writerFeatures": ["timestampNtz"]}
    protocol = {"minReaderVersion": 3, "minWriterVersion": 7, **features}
    made = {
        "id": str(uuid.uuid4()), "format": {"provider": "parquet", "options": {}}, "schemaString": schema.to_json(),
        "partitionColumns": [], "configuration": {}, "createdTime": int(time.time() * 1000),
    }  # fmt: skip
    first = "\n".join(json.dumps(action) for action in ({"protocol": protocol}, {"metaData": made}))
    lake.put_new(f"{key}/_delta_log/{0:020}.json", first.encode())
    return DeltaTable(_address(lake, key))


def _files(delta: DeltaTable) -> dict[str, int]:
    """The names and sizes of the files of a Delta table."""
    import pyarrow as pa

    return {row["path"]: row["size_bytes"] for row in pa.table(delta.get_add_actions()).to_pylist()}


def _address(lake: Lake, key: str) -> str:
    return f"{lake.place if is_remote(lake.place) else os.path.realpath(lake.place)}/{key}"
