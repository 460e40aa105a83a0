"""Puts the records of a batch into the ledger, beside what asks nothing of it meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from itertools import chain, islice
from threading import Event
from typing import TYPE_CHECKING

from benchledger.store.database import insert_threads

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

# After so many rows it is looked whether the connection is wanted: some hundredths of a second.
ROWS_AT_ONCE = 40_000
# DuckDB's threads share an insert by batches: where each is a row group, the rows stay in their order and need not be
# put together again.
ROW_GROUP = 122_880
# So many a statement: DuckDB keeps what it reads until the statement has ended.
GROUPS_AT_ONCE = 6


class Insert:
    """Takes turns with those who ask the connection: it inserts while they let it, and goes on the next time."""

    def __init__(self, con: duckdb.DuckDBPyConnection, load_number: int, parts: Iterator[pa.Table]) -> None:
        """`parts`: rows of table record, taken one after another as they are inserted."""
        self._con, self._load_number, self._parts = con, load_number, parts
        self._left: Iterator[pa.RecordBatch] = iter(())
        self._is_wanted = Event()
        # So many of DuckDB's share the insert of what is left.
        self.threads = 1

    @contextmanager
    def beside(self) -> Iterator[Callable[[], bool]]:
        """Inserts on a thread of its own while what is within runs, which must not ask the connection anything.

        What it gives says whether something is left to be inserted.
        """
        with self._lane(self._go_on) as inserting:
            yield lambda: not inserting.done()

    def rest(self) -> None:
        """Inserts all that is left."""
        if self.threads == 1:
            self._all(self._go_on)
        else:
            with insert_threads(self._con, self.threads):
                self._all(self._in_groups)

    def _all(self, insert: Callable[[], None]) -> None:
        # Not on this thread: Ctrl-C within what DuckDB reads would be told as an error of the statement.
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
                # A statement for each part: DuckDB keeps what it reads until the statement has ended.
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
        # Read once: DuckDB holds what was registered until the transaction ends, and of this nothing is left by then.
        import pyarrow as pa

        con = self._con
        con.register("arriving_record", pa.RecordBatchReader.from_batches(schema, batches))
        names = ", ".join(f'"{name}"' for name in schema.names)
        con.execute(
            f"insert into record ({names}, load_number) select {names}, {self._load_number} from arriving_record"  # noqa: S608 - our own names
        )
        con.unregister("arriving_record")


def _regrouped(batches: Iterable[pa.RecordBatch], rows: int) -> Iterator[pa.RecordBatch]:
    """The same rows in batches of so many, the last of what is left."""
    import pyarrow as pa

    held: list[pa.RecordBatch] = []
    for batch in batches:
        while batch.num_rows:
            missing = rows - sum(one.num_rows for one in held)
            held.append(batch.slice(0, missing))
            batch = batch.slice(missing)
            if held[-1].num_rows == missing:
                yield pa.concat_batches(held) if len(held) > 1 else held[0]
                held = []
    if held:
        yield pa.concat_batches(held)
