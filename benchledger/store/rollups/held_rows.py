"""Rows that wait until they may be written: few in memory, more in a file without a name."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import polars as pl
import pyarrow as pa

from benchledger.errors import DatabaseError, cure_of_writing

if TYPE_CHECKING:
    import duckdb

# More than these go into the file: they are of a run of any length.
ROWS_IN_MEMORY = 1_000_000


class HeldRows:
    """Rows of a kept table: add() asks nothing of the connection, write() inserts them all."""

    def __init__(self, con: duckdb.DuckDBPyConnection, table: str) -> None:
        self._con, self._table = con, table
        # The ledger's folder needs the room anyway.
        self._folder = Path(con.execute("select current_setting('temp_directory')").fetchall()[0][0]).parent
        self._held: list[pa.Table] = []
        self._file: IO[bytes] | None = None
        self._writer: Any = None

    def add(self, rows: pl.DataFrame) -> None:
        """Keeps rows behind those before. Raises DatabaseError where there is no room for them."""
        if rows.height:
            self._held.append(rows.to_arrow())
        if sum(held.num_rows for held in self._held) > ROWS_IN_MEMORY:
            with self._errors_told():
                self._spill()

    def write(self) -> None:
        """Inserts what was added, if anything was. Raises as `add` does."""
        if self._file is not None:
            with self._errors_told():
                self._spill()
                self._writer.close()
                self._file.seek(0)
                rows = pa.ipc.open_stream(self._file)
        elif self._held:
            together = pa.concat_tables(self._held)
            rows = pa.RecordBatchReader.from_batches(together.schema, iter(together.to_batches()))
        else:
            return
        self._con.register("held_row", rows)
        self._con.execute(f"insert into {self._table} by name from held_row")
        self._con.unregister("held_row")

    def _spill(self) -> None:
        for rows in self._held:
            if self._file is None:
                self._file = tempfile.TemporaryFile(dir=self._folder)  # noqa: SIM115 - closed with this object
                options = pa.ipc.IpcWriteOptions(compression="lz4")
                self._writer = pa.ipc.new_stream(self._file, rows.schema, options=options)
            self._writer.write_table(rows)
        self._held.clear()

    @contextmanager
    def _errors_told(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise DatabaseError(
                f"{self._folder.resolve()}: what is kept of a long run cannot wait here until it is written: "
                f"{error.strerror or error}. {cure_of_writing(error)}"
            ) from error
