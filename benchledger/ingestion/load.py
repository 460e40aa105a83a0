"""Inserts base tables into the database, from Arrow tables, never row by row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

from benchledger.definitions.log_format import LogFormat
from benchledger.ingestion.base_tables import in_ledger
from benchledger.ingestion.record_frames import BrokenKeyError, RecordKeys, framed, in_order, numbers_of
from benchledger.ingestion.segments import Segments
from benchledger.ingestion.transfer import SpilledRecords
from benchledger.scanning.layout import Layout
from benchledger.store.memory import insert_threads

if TYPE_CHECKING:
    import duckdb
    import polars as pl
    import pyarrow as pa

# After so many rows an insert stops if others want the connection: some hundredths of a second.
ROWS_AT_ONCE = 40_000
# DuckDB's threads share an insert by batches: where each batch is a row group, the rows stay in order, and no copy is
# needed.
ROW_GROUP = 122_880
# Row groups per statement: DuckDB keeps what it reads until the statement has ended.
GROUPS_AT_ONCE = 6
_SQL = Path(__file__).parent / "sql"
_TABLES_OF_A_LOG = (
    "reject",
    "kept.segment",
    "kept.log_fact",
    "kept.ignored_piece",
    "kept.unread",
    "kept.stream_only",
    "log",
)
# In a large ledger, only records with the load numbers of these logs are read.
_REMOVE_RECORDS = """
delete from kept.record
using (from log where log_id in (select id from removed)) as gone
where record.log_id = gone.log_id and record.load_number = gone.load_number
"""


def sql_text(name: str) -> str:
    return (_SQL / f"{name}.sql").read_text(encoding="utf-8")


def insert(con: duckdb.DuckDBPyConnection, table: str, rows: list[dict[str, Any]], on_conflict: str = "") -> None:
    if not rows:
        return
    import pyarrow as pa

    names = list(rows[0])
    insert_arrow(con, table, pa.Table.from_pydict({name: [row[name] for row in rows] for name in names}), on_conflict)


def insert_arrow(con: duckdb.DuckDBPyConnection, table: str, rows: pa.Table, on_conflict: str = "") -> None:
    if not rows.num_rows:
        return
    names = ", ".join(f'"{name}"' for name in rows.column_names)
    con.register("arriving", rows)
    con.execute(f"insert into {table} ({names}) select {names} from arriving {on_conflict}")  # noqa: S608
    con.unregister("arriving")


def insert_base(con: duckdb.DuckDBPyConnection, tables: dict[str, pa.Table], number: int) -> None:
    """Inserts base tables by name. `number` is that of the load, which tables log and record state."""
    import pyarrow as pa

    for name, rows in tables.items():
        if name in ("log", "record"):
            rows = rows.append_column("load_number", pa.repeat(pa.scalar(number, pa.int32()), len(rows)))
        insert_arrow(con, in_ledger(name), rows)


def set_ids(con: duckdb.DuckDBPyConnection, table: str, ids: Iterable[int]) -> None:
    """Makes a temporary table of distinct ids, column `id`.

    The ids are one text in the statement. Parameters would cost far more, since DuckDB tries to import numpy for every
    value of a list; and an ingest that finds nothing new needs no pyarrow.
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
    """Stores the columns of each format that views need."""
    columns = (
        "format", "version", "framework", "implementation", "default_rule", "role", "has_planned_speed",
        "steps_are_passes",
    )  # fmt: skip
    rows = [(f.name, *(getattr(f, name) for name in columns[1:])) for f in formats.values() if f.detectable]
    stored = con.execute(f"select {', '.join(columns)} from kept.format").fetchall()  # noqa: S608 - our own names
    updates = ", ".join(f"{column} = excluded.{column}" for column in columns[1:])
    insert(
        con, "kept.format", [dict(zip(columns, row, strict=True)) for row in rows if row not in stored],
        f"on conflict (format) do update set {updates}",
    )  # fmt: skip


def load_shapes(con: duckdb.DuckDBPyConnection, layouts: dict[int, Layout]) -> None:
    insert(con, "kept.shape", shape_rows(layouts), "on conflict do nothing")


def shape_rows(layouts: dict[int, Layout]) -> list[dict[str, Any]]:
    return [
        {
            "shape_id": shape_id, "ordinal": ordinal, "format": layout.format, "record": layout.record.name,
            "kind": layout.record.kind, "phase": value.phase, "name": value.name, "quantity": value.quantity,
            "unit": value.unit, "unit_logged": value.unit_logged, "scope": value.scope,
        }
        for shape_id, layout in layouts.items()
        for ordinal, value in enumerate(layout.values, start=1)
    ]  # fmt: skip


def load_logs(
    con: duckdb.DuckDBPyConnection,
    tables: dict[str, pa.Table],
    records: list[pa.Table],
    spilled: list[SpilledRecords],
    layouts: dict[int, Layout],
) -> Insert:
    """Adds logs that are not there yet, with all that was found in them. Raises BrokenKeyError.

    Only some of the records are in the table when this returns: the returned Insert inserts the others.

    `records`: each table has whole logs, or the rest of logs whose other records are `spilled`, of which one part is in
    memory at a time. `layouts` are those of all records.
    """
    number = _load_number(con)
    insert_base(con, {name: tables[name] for name in ("log", "reject", "ignored_piece", "unread", "log_fact")}, number)
    logged = tables["segment"]
    if not logged.num_rows:
        return Insert(con, number, iter(()))
    in_memory = [in_order(rows) for rows in records if len(rows)]

    def from_disk() -> Iterator[pa.Table]:
        return chain.from_iterable(long.parts() for long in spilled)

    insert = Insert(con, number, chain((rows for rows, _ in in_memory), from_disk()))
    with insert.in_background():
        parts = chain(in_memory, ((rows, numbers_of(rows)) for rows in from_disk()))
        segments = segments_of(tables, parts, layouts)
    insert_arrow(con, "kept.segment", segments)
    return insert


def segments_of(
    tables: dict[str, pa.Table], parts: Iterable[tuple[pa.Table, pl.DataFrame]], layouts: dict[int, Layout]
) -> pa.Table:
    """Rows of table kept.segment, from what logs say of their segments and from their records. Raises BrokenKeyError.

    `parts`: as `in_order` gives them; the parts of a log follow one another.
    """
    logged = tables["segment"]
    segments, keys = Segments(logged, layouts.values()), RecordKeys(layouts)
    for rows, frame in parts:
        keys.add(frame)
        segments.add(frame, rows)
    broken = keys.broken(_counted(tables["log"], logged))
    if broken is not None:
        raise BrokenKeyError(*broken)
    return segments.rows().to_arrow()


def _counted(logs: pa.Table, segments: pa.Table) -> pl.DataFrame:
    return framed(logs.select(["log_id", "records"]).rename_columns(["log_id", "counted"])).join(
        framed(segments.select(["log_id"])), on="log_id", how="semi"
    )


def _load_number(con: duckdb.DuckDBPyConnection) -> int:
    """The next number of a load: records that are stored together have equal or neighbouring numbers."""
    row = con.execute("select coalesce(max(load_number), 0) + 1 from log").fetchone()
    return int(row[0]) if row else 1


class Insert:
    """Inserts records while nobody else uses the connection, and goes on the next time."""

    def __init__(self, con: duckdb.DuckDBPyConnection, load_number: int, parts: Iterator[pa.Table]) -> None:
        """`parts`: rows of table kept.record."""
        self._con, self._load_number, self._parts = con, load_number, parts
        self._left: Iterator[pa.RecordBatch] = iter(())
        self._is_wanted = Event()
        # The number of DuckDB's threads that share the rest of the insert.
        self.threads = 1

    @contextmanager
    def in_background(self) -> Iterator[Callable[[], bool]]:
        """Inserts on a thread of its own while the body runs, which must not use the connection.

        The function that it yields returns whether something remains to be inserted.
        """
        with self._lane(self._go_on) as inserting:
            yield lambda: not inserting.done()

    def rest(self) -> None:
        if self.threads == 1:
            self._all(self._go_on)
        else:
            with insert_threads(self._con, self.threads):
                self._all(self._in_groups)

    def _all(self, insert: Callable[[], None]) -> None:
        # On a thread of its own: Ctrl-C while DuckDB reads a batch would look like an error of the statement.
        with self._lane(insert) as inserting:
            inserting.result()

    @contextmanager
    def _lane(self, insert: Callable[[], None]) -> Iterator[Future[None]]:
        self._is_wanted.clear()
        with ThreadPoolExecutor(1) as lane:
            inserting = lane.submit(insert)
            try:
                yield inserting
            finally:
                self._is_wanted.set()
            inserting.result()

    def _go_on(self) -> None:
        while not self._is_wanted.is_set():
            if (first := next(self._left, None)) is None:
                part = next(self._parts, None)
                if part is None:
                    return
                self._left = iter(part.to_batches(ROWS_AT_ONCE))
            else:
                # One statement per part: DuckDB keeps what it reads until the statement has ended.
                self._insert(first.schema, self._turn(first))

    def _in_groups(self) -> None:
        left = chain(self._left, chain.from_iterable(part.to_batches() for part in self._parts))
        groups = _regrouped(left, ROW_GROUP)
        while not self._is_wanted.is_set() and (first := next(groups, None)) is not None:
            self._insert(first.schema, chain([first], islice(groups, GROUPS_AT_ONCE - 1)))

    def _turn(self, first: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        yield first
        while not self._is_wanted.is_set() and (following := next(self._left, None)) is not None:
            yield following

    def _insert(self, schema: pa.Schema, batches: Iterator[pa.RecordBatch]) -> None:
        # A reader: DuckDB keeps a registered object until the transaction ends, and a reader is empty by then.
        import pyarrow as pa

        con = self._con
        con.register("arriving_record", pa.RecordBatchReader.from_batches(schema, batches))
        names = ", ".join(f'"{name}"' for name in schema.names)
        con.execute(
            f"insert into kept.record ({names}, load_number) select {names}, {self._load_number} from arriving_record"  # noqa: S608 - our own names
        )
        con.unregister("arriving_record")


def _regrouped(batches: Iterable[pa.RecordBatch], rows: int) -> Iterator[pa.RecordBatch]:
    """The same rows in batches of `rows` rows; the last one may be smaller."""
    import pyarrow as pa

    gathered: list[pa.RecordBatch] = []
    for batch in batches:
        while batch.num_rows:
            missing = rows - sum(one.num_rows for one in gathered)
            gathered.append(batch.slice(0, missing))
            batch = batch.slice(missing)
            if gathered[-1].num_rows == missing:
                yield pa.concat_batches(gathered) if len(gathered) > 1 else gathered[0]
                gathered = []
    if gathered:
        yield pa.concat_batches(gathered)
