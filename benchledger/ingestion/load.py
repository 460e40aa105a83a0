"""Writes what was read into the database: columns from Arrow, never row by row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib import resources
from typing import TYPE_CHECKING, Any

from benchledger.definitions.log_format import LogFormat
from benchledger.ingestion.arrived import ArrivedRecords
from benchledger.ingestion.record_keys import RecordKeys, in_order
from benchledger.ingestion.segments import Segments
from benchledger.ingestion.waiting import WaitingRecords
from benchledger.scanning.layout import Layout
from benchledger.store.rollups.frames import framed

if TYPE_CHECKING:
    import duckdb
    import polars as pl
    import pyarrow as pa

# Of so many rows at a time is asked what they say: of fewer, the asking takes longer than the answer.
ROWS_AT_ONCE = 200_000
_TABLES_OF_A_LOG = ("reject", "segment", "log_fact", "ignored_piece", "stream_only", "log")
# Of a large ledger only what was loaded with these logs is looked through.
_REMOVE_RECORDS = """
delete from record
using (from log where log_id in (select id from removed)) as gone
where record.log_id = gone.log_id and record.load_number = gone.load_number
"""


def sql_text(name: str) -> str:
    """One of the statements beside this module."""
    return resources.files("benchledger.ingestion").joinpath("sql", f"{name}.sql").read_text(encoding="utf-8")


def insert(con: duckdb.DuckDBPyConnection, table: str, rows: list[dict[str, Any]], on_conflict: str = "") -> None:
    """Inserts rows given as dicts of one and the same set of columns."""
    if not rows:
        return
    import pyarrow as pa

    names = list(rows[0])
    insert_arrow(con, table, pa.Table.from_pydict({name: [row[name] for row in rows] for name in names}), on_conflict)


def insert_arrow(con: duckdb.DuckDBPyConnection, table: str, rows: pa.Table, on_conflict: str = "") -> None:
    """Inserts an Arrow table into the columns of the same names."""
    if not rows.num_rows:
        return
    names = ", ".join(f'"{name}"' for name in rows.column_names)
    con.register("arriving", rows)
    con.execute(f"insert into {table} ({names}) select {names} from arriving {on_conflict}")  # noqa: S608
    con.unregister("arriving")


def set_ids(con: duckdb.DuckDBPyConnection, table: str, ids: Iterable[int]) -> None:
    """Makes a temporary table of distinct ids, column `id`.

    As one text in the statement: as parameters they would cost more than all the rest, since DuckDB looks for numpy
    anew at every value of a list; and an ingest that finds nothing new does without pyarrow.
    """
    text = ",".join(map(str, sorted(set(ids))))
    found = f"select unnest(string_split('{text}', ','))::bigint as id" if text else "select null::bigint as id limit 0"
    con.execute(f"create or replace temp table {table} as {found}")


def remove_logs(con: duckdb.DuckDBPyConnection, log_ids: Iterable[int]) -> None:
    """Removes everything that was read from these logs; their sightings stay."""
    set_ids(con, "removed", log_ids)
    con.execute(_REMOVE_RECORDS)
    for table in _TABLES_OF_A_LOG:
        con.execute(f"delete from {table} where log_id in (select id from removed)")  # noqa: S608


def load_formats_table(con: duckdb.DuckDBPyConnection, formats: dict[str, LogFormat]) -> None:
    """Keeps what the views need of each format."""
    rows = [
        (f.name, f.version, f.framework, f.implementation, f.default_rule, f.role)
        for f in formats.values()
        if f.detectable
    ]
    stored = con.execute("select format, version, framework, implementation, default_rule, role from format").fetchall()
    columns = ("format", "version", "framework", "implementation", "default_rule", "role")
    updates = ", ".join(f"{column} = excluded.{column}" for column in columns[1:])
    insert(
        con, "format", [dict(zip(columns, row, strict=True)) for row in rows if row not in stored],
        f"on conflict (format) do update set {updates}",
    )  # fmt: skip


def load_shapes(con: duckdb.DuckDBPyConnection, layouts: dict[int, Layout]) -> None:
    """Adds the line layouts that are not there yet."""
    rows = [
        {
            "shape_id": shape_id, "ordinal": ordinal, "format": layout.format, "record": layout.record.name,
            "kind": layout.record.kind, "phase": value.phase, "name": value.name, "quantity": value.quantity,
            "unit": value.unit, "unit_logged": value.unit_logged, "scope": value.scope,
        }
        for shape_id, layout in layouts.items()
        for ordinal, value in enumerate(layout.values, start=1)
    ]  # fmt: skip
    insert(con, "shape", rows, "on conflict do nothing")


def load_logs(
    con: duckdb.DuckDBPyConnection,
    tables: dict[str, pa.Table],
    records: list[pa.Table],
    waiting: list[WaitingRecords],
    layouts: dict[int, Layout],
) -> ArrivedRecords:
    """Adds logs that are not there yet, with all that was found in them. Raises if a key of the records is broken.

    `records`: each table has whole logs, or what is left of logs whose other records are `waiting`, of which only a
    part is in memory at a time. `layouts` are those of all of them.
    """
    import pyarrow as pa

    number = _load_number(con)
    logs = tables["log"]
    insert_arrow(con, "log", logs.append_column("load_number", pa.repeat(pa.scalar(number, pa.int32()), len(logs))))
    for table in ("reject", "ignored_piece", "log_fact"):
        insert_arrow(con, table, tables[table])
    log_ids, told = set(tables["log"].column("log_id").to_pylist()), tables["segment"]
    if not told.num_rows:
        return ArrivedRecords(log_ids, [], [])
    segments, keys = Segments(told, layouts.values()), RecordKeys(layouts)
    frames: list[pl.DataFrame] = []

    def whole() -> Iterator[pa.Table]:
        for rows in filter(len, records):
            ordered, frame = _seen(rows, segments, keys)
            frames.append(frame)
            yield ordered

    _insert_records(con, number, records[0].schema, one_ahead(whole()))
    for long in waiting:
        for part in one_ahead(_seen(part, segments, keys)[0] for part in long.parts()):
            # DuckDB keeps what it reads until the statement has ended.
            _insert_records(con, number, part.schema, iter([part]))
    broken = keys.broken(_said(tables["log"], told))
    if broken is not None:
        raise AssertionError(broken)
    insert_arrow(con, "segment", segments.rows().to_arrow())
    return ArrivedRecords(log_ids, frames, waiting)


def together(tables: list[pa.Table]) -> list[pa.Table]:
    """The rows of many small tables in few of some 200,000, whose columns are each in one piece. Empties `tables`."""
    import pyarrow as pa

    found: list[pa.Table] = []
    while tables:
        some = [tables.pop(0)]
        while tables and sum(rows.num_rows for rows in some) < ROWS_AT_ONCE:
            some.append(tables.pop(0))
        found.append(pa.concat_tables(some).combine_chunks())
    return found


def _said(logs: pa.Table, segments: pa.Table) -> pl.DataFrame:
    return framed(logs.select(["log_id", "records"]).rename_columns(["log_id", "said"])).join(
        framed(segments.select(["log_id"])), on="log_id", how="semi"
    )


def _seen(rows: pa.Table, segments: Segments, keys: RecordKeys) -> tuple[pa.Table, pl.DataFrame]:
    rows, frame = in_order(rows)
    keys.add(frame)
    segments.add(frame, rows)
    return rows, frame


def one_ahead(parts: Iterator[pa.Table]) -> Iterator[pa.Table]:
    """The same parts: each is made ready while the one before it is inserted."""
    with ThreadPoolExecutor(1) as beside:
        following = beside.submit(next, parts, None)
        while (part := following.result()) is not None:
            following = beside.submit(next, parts, None)
            yield part


def _load_number(con: duckdb.DuckDBPyConnection) -> int:
    """One more than that of any load: what lies together in table record is then of neighbouring numbers."""
    row = con.execute("select coalesce(max(load_number), 0) + 1 from log").fetchone()
    return int(row[0]) if row else 1


def _insert_records(con: duckdb.DuckDBPyConnection, number: int, schema: pa.Schema, parts: Iterator[pa.Table]) -> None:
    # Read once: DuckDB holds what was registered until the transaction ends, and of this nothing is left by then.
    import duckdb
    import pyarrow as pa

    stopped: list[BaseException] = []

    def batches() -> Iterator[pa.RecordBatch]:
        try:
            for rows in parts:
                yield from rows.to_batches()
        except BaseException as error:
            stopped.append(error)
            raise

    con.register("arriving_record", pa.RecordBatchReader.from_batches(schema, batches()))
    names = ", ".join(f'"{name}"' for name in schema.names)
    try:
        con.execute(
            f"insert into record ({names}, load_number) select {names}, {number} from arriving_record"  # noqa: S608 - our own names
        )
    except duckdb.Error:
        # What stops the parts, Ctrl-C too, would be told as an error of the scan.
        if stopped:
            raise stopped[0] from None
        raise
    con.unregister("arriving_record")
