"""Opens the ledger for one answer and closes it again, so that no other process has to wait."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb


@contextmanager
def reading(db: Path | str, *, records: bool = False, wait_s: float = 30.0) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yields a read-only connection to the ledger for one question; with one thread unless it reads `records`."""
    import duckdb

    from benchledger.errors import DatabaseError
    from benchledger.store.database import open_for_reading
    from benchledger.store.memory import use_one_thread

    with closing(open_for_reading(db, wait_s)) as con:
        if not records:
            # Kept numbers are read faster than the work is shared out among threads. While one thread reads, DuckDB's
            # other threads poll for work.
            use_one_thread(con)
        try:
            yield con
        except (duckdb.PermissionException, duckdb.BinderException, duckdb.CatalogException) as error:
            what = str(error).partition("\n")[0]
            raise DatabaseError(f"{db}: its tables or views were changed: {what}. See bench db check") from error
