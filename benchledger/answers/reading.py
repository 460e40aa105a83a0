"""Opens the ledger for one answer and closes it again, so that nobody else is kept waiting."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb


@contextmanager
def reading(db: Path | str) -> Iterator[duckdb.DuckDBPyConnection]:
    """A read-only connection to the ledger for the length of one question."""
    from benchledger.store.database import open_for_reading

    with closing(open_for_reading(db)) as con:
        yield con
