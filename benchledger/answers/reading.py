"""Opens the ledger for one answer and closes it again, so that nobody else is kept waiting."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from benchledger.answers.nothing import NothingFoundError

if TYPE_CHECKING:
    import duckdb

DEFAULT_DB = "bench.duckdb"


@contextmanager
def reading(db: Path | str) -> Iterator[duckdb.DuckDBPyConnection]:
    """A read-only connection to the ledger for the length of one question."""
    from benchledger.store.database import open_for_reading

    with closing(open_for_reading(db)) as con:
        yield con


def need_runs(con: duckdb.DuckDBPyConnection, db: Path | str) -> None:
    """Raises NothingFoundError if the ledger holds no run at all."""
    row = con.execute("select count(*) from run").fetchone()
    if row is None or row[0] == 0:
        raise NothingFoundError(f"{db} holds no runs yet. Read logs into it: bench ingest PATH")
