"""Notices that the ledger of an ingest was moved or replaced while the ingest ran."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from benchledger.errors import DatabaseError
from benchledger.ingestion.load import set_ids
from benchledger.store.database import open_for_writing

if TYPE_CHECKING:
    import duckdb


class SameLedger:
    """Opens the ledger of one ingest again for each batch, and refuses another ledger at its place."""

    def __init__(self, db: Path) -> None:
        self._db, self._file = db, _file_at(db)

    def open(self, wait_s: float, records: int | None, logs: Collection[int]) -> duckdb.DuckDBPyConnection:
        """Opens it for writing. `logs`: ids that it must hold. Raises DatabaseError if it was moved or replaced."""
        if self._file is not None and _file_at(self._db) is None:
            raise self._moved()
        con = open_for_writing(self._db, wait_s, make=self._file is None, records=records)
        file = _file_at(self._db)
        # A compacted ledger is another file with the same logs.
        if self._file not in (None, file) and logs and not _has_any(con, logs):
            con.close()
            raise self._moved()
        self._file = file
        return con

    def check(self) -> None:
        """Raises DatabaseError if another file, or none, lies at the place of the open ledger."""
        if _file_at(self._db) != self._file:
            raise self._moved()

    def _moved(self) -> DatabaseError:
        return DatabaseError(
            f"{self._db}: was moved or replaced during this ingest, so the ingest ends. The logs that it wrote are in "
            f"the moved file. Put that file back, or name it with --db, and repeat the command: nothing is lost"
        )


def _file_at(db: Path) -> tuple[int, int] | None:
    try:
        found = db.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def _has_any(con: duckdb.DuckDBPyConnection, logs: Collection[int]) -> bool:
    set_ids(con, "expected_log", logs)
    return con.execute("select 1 from log where log_id in (select id from expected_log)").fetchone() is not None
