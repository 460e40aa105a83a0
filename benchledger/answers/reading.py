"""Opens the ledger for one answer and closes it again, so that nobody else is kept waiting."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb


@contextmanager
def reading(db: Path | str, *, records: bool = False) -> Iterator[duckdb.DuckDBPyConnection]:
    """A read-only connection to the ledger for the length of one question, of one thread unless it reads `records`."""
    from benchledger.store.database import open_for_reading

    with closing(open_for_reading(db)) as con:
        if not records:
            # What is kept of all runs is read in the time that it takes to share that out, and while another thread
            # reads, DuckDB's own asks again and again whether there is something to do.
            con.execute("set threads = 1")
        yield con
