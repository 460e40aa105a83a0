"""Writes into an open ledger, all or nothing, and says what is on the disk where that fails."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from benchledger.definitions.regular_file import ledger_place
from benchledger.errors import DatabaseError, cure_of_writing
from benchledger.store.confined import mark_checked

if TYPE_CHECKING:
    import duckdb

_MORE_MEMORY = "Raise the limit on memory"


@contextmanager
def transaction(con: duckdb.DuckDBPyConnection, place: Path | str) -> Iterator[None]:
    """Commits everything written within, or nothing. Raises DatabaseError if the file cannot be written."""
    with written(place):
        con.execute("begin")
        yield
        con.execute("commit")


@contextmanager
def closing_written(con: duckdb.DuckDBPyConnection, place: Path | str) -> Iterator[duckdb.DuckDBPyConnection]:
    """Closes a ledger that was opened for writing. Raises DatabaseError if it cannot be completed on the disk."""
    with closing(con):
        yield con
        complete(con, place)
        mark_checked(Path(place))


def complete(con: duckdb.DuckDBPyConnection, place: Path | str) -> None:
    """Moves what was committed from the write-ahead log into the ledger's file. Raises DatabaseError if that fails.

    DuckDB does the same when the connection is closed, but does not tell a failure.
    """
    import duckdb

    if not _has_log(place):
        return
    try:
        con.execute("checkpoint")
    except duckdb.Error as error:
        raise _incomplete(place, error) from error


def _has_log(place: Path | str) -> bool:
    log = Path(f"{ledger_place(place)}.wal")
    return log.exists() and log.stat().st_size > 0


def _incomplete(place: Path | str, error: Exception) -> DatabaseError:
    return DatabaseError(
        f"{place}: what was committed is kept in {place}.wal, but could not be moved into the ledger: {error}. "
        f"{cure_of_writing(error)}; the next command that writes the ledger completes it"
    )


@contextmanager
def written(place: Path | str) -> Iterator[None]:
    """Raises DatabaseError if DuckDB cannot write the ledger."""
    import duckdb

    try:
        yield
    except (
        duckdb.IOException,
        duckdb.OutOfMemoryException,
        duckdb.TransactionException,
        duckdb.FatalException,
    ) as error:
        # DuckDB writes a large transaction into the ledger itself, completely or not at all, without a write-ahead log.
        if "create checkpoint" in str(error) and _has_log(place):
            raise _incomplete(place, error) from error
        cure = _MORE_MEMORY if isinstance(error, duckdb.OutOfMemoryException) else cure_of_writing(error)
        what = f"the ledger could not be written and is unchanged: {error}"
        raise DatabaseError(f"{place}: {what}. {cure} or mend what it names, then do this again") from error
