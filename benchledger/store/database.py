"""Opens the ledger for writing or for reading, and says who holds it if it cannot."""

from __future__ import annotations

import hashlib
import os
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from benchledger.definitions.cache import cache_folder, keep, kept
from benchledger.definitions.folders import only_shipped
from benchledger.errors import DatabaseError, DatabaseHeldError
from benchledger.store.held import TELL_AFTER_S, tell_wait
from benchledger.store.migrations import check_version, date_migrations, migrate, program_version, shipped_migrations
from benchledger.store.sync import sync_definitions, synced_hash

if TYPE_CHECKING:
    import duckdb

POLL_S = 0.1
OWN_WAIT_S = 2.0
# A ledger this small is read by one thread: to share so little work out takes longer than the work.
SMALL_BYTES = 32 << 20
SMALL_RECORDS = 100_000
# So few records are written by one thread into a larger ledger, too: what is looked through for them is little.
LARGE_BYTES = 256 << 20
# What DuckDB may hold in memory while an ingest writes, and so much for each of its threads; the rest waits on the
# disk, beside the ledger. Without a limit it keeps what it wrote, up to most of the machine's memory.
WRITING_MEMORY = 384 << 20
# And while it writes a long log, which waits on the disk already.
LITTLE_MEMORY = 64 << 20
MEMORY_OF_A_THREAD = 64 << 20
# Of threads that share an insert each needs as much: with less they wait for one another, and take half as long again.
INSERTING_MEMORY = 128 << 20
_HOLDER = re.compile(r"lock is held in (?P<program>.+?) \(PID (?P<pid>\d+)\)")


def open_for_writing(
    path: Path | str, wait_s: float = 30.0, *, make: bool = True, records: int | None = None
) -> duckdb.DuckDBPyConnection:
    """The ledger at `path`, created if there is none, brought to this version's schema if it is older.

    `records`, if given, is how many are to be written: few into a small ledger do without other threads. Waits
    `wait_s` seconds for a process that holds the file, then raises DatabaseHeldError. Raises DatabaseError for a file
    that is no ledger or of a newer version, and for a missing one unless it may `make` it.
    """
    place = Path(path)
    if not make:
        need_file(place)
    if not place.parent.is_dir():
        raise DatabaseError(f"{place}: there is no folder {place.parent}. Make it, or name another database with --db")
    is_new = not place.exists()
    if is_new:
        _make(place)
    con = _connect(place, read_only=False, wait_s=wait_s)
    try:
        if records is not None and records < SMALL_RECORDS:
            _spare_threads(con, place, LARGE_BYTES)
        for stale in waiting_files(place):
            # We hold the ledger: whoever made them was killed.
            stale.unlink(missing_ok=True)
        migrate(con, str(place))
        if is_new:
            date_migrations(con)
    except BaseException:
        con.close()
        raise
    return con


def open_for_reading(path: Path | str, wait_s: float = 30.0) -> duckdb.DuckDBPyConnection:
    """The ledger at `path`, read-only. Raises as open_for_writing does, and for a missing or an older database."""
    place = Path(path)
    need_file(place)
    con = _connect(place, read_only=True, wait_s=wait_s)
    try:
        _spare_threads(con, place, SMALL_BYTES)
        check_version(con, str(place))
    except BaseException:
        con.close()
        raise
    return con


def open_as_it_is(path: Path | str, *, read_only: bool = True, wait_s: float = 30.0) -> duckdb.DuckDBPyConnection:
    """A database of whatever version, or of something else: neither checked nor migrated. Raises as the others do."""
    place = Path(path)
    need_file(place)
    return _connect(place, read_only=read_only, wait_s=wait_s)


def need_file(place: Path) -> None:
    """Raises DatabaseError for a ledger that is not there."""
    if not place.exists():
        raise DatabaseError(f"{place}: there is no such database. `bench ingest PATH` makes it; --db names another one")


def _spare_threads(con: duckdb.DuckDBPyConnection, place: Path, small: int) -> None:
    if place.stat().st_size < small:
        con.execute("set threads = 1")


def limit_memory(con: duckdb.DuckDBPyConnection, memory: int, threads: int) -> None:
    """Lets DuckDB work with no more than so many threads, and hold so many bytes, and MEMORY_OF_A_THREAD for each."""
    row = con.execute("select current_setting('threads')").fetchone()
    threads = min(threads, int(row[0] if row else 1))
    con.execute(f"set threads = {threads}; set memory_limit = '{memory + MEMORY_OF_A_THREAD * threads}B'")


@contextmanager
def shared_out(con: duckdb.DuckDBPyConnection, threads: int) -> Iterator[None]:
    """DuckDB inserts with so many threads within, and may hold what they need for it, then too."""
    before = con.execute("select current_setting('threads')").fetchall()[0][0]
    con.execute(f"set threads = {threads}; set memory_limit = '{LITTLE_MEMORY + INSERTING_MEMORY * threads}B'")
    yield
    con.execute(f"set threads = {before}")


def lift_memory_limit(con: duckdb.DuckDBPyConnection) -> None:
    """Lets DuckDB take as much as it takes by itself, for the little that it cannot do otherwise."""
    # The setting alone changes nothing any more: what it says has to be set.
    con.execute("reset memory_limit")
    row = con.execute("select current_setting('memory_limit')").fetchone()
    assert row is not None
    con.execute(f"set memory_limit = '{row[0]}'")


def waiting_files(place: Path) -> list[Path]:
    """What DuckDB has written beside a ledger for want of memory; after a killed process some of it is left."""
    return list(Path(f"{place}.tmp").glob("duckdb_temp_*"))


@contextmanager
def transaction(con: duckdb.DuckDBPyConnection, place: Path | str) -> Iterator[None]:
    """All that is written within, or nothing of it. Raises DatabaseError where the file cannot be written."""
    with written(place):
        con.execute("begin")
        yield
        con.execute("commit")


@contextmanager
def written(place: Path | str) -> Iterator[None]:
    """Raises DatabaseError where DuckDB cannot write the ledger."""
    import duckdb

    try:
        yield
    except (
        duckdb.IOException,
        duckdb.OutOfMemoryException,
        duckdb.TransactionException,
        duckdb.FatalException,
    ) as error:
        raise DatabaseError(
            f"{place}: the ledger could not be written, and is as it was before: {error}. Free some disk space "
            f"or mend what it names, then do this again"
        ) from error


def _make(place: Path) -> None:
    # Beside its place, and moved there whole: DuckDB cannot replay the log of a schema whose making was cut off.
    scratch = place.with_name(f"{place.name}.new-{os.getpid()}")
    log = Path(f"{scratch}.wal")
    empty = _empty_ledger()
    try:
        # Migrations take a quarter of a second, the shipped rules and published numbers 40 milliseconds, a copy a few.
        if (content := kept(empty)) is not None:
            scratch.write_bytes(content)
        else:
            con = _connect(scratch, read_only=False, wait_s=0)
            try:
                migrate(con, str(place))
                if cache_folder() is not None and only_shipped():
                    with transaction(con, place):
                        sync_definitions(con)
            finally:
                con.close()
            keep(empty, scratch.read_bytes())
        if not place.exists():
            scratch.rename(place)
    finally:
        scratch.unlink(missing_ok=True)
        log.unlink(missing_ok=True)


def _empty_ledger() -> str:
    _import_duckdb()
    import duckdb

    digest = hashlib.blake2b(f"{program_version()} {duckdb.__version__}".encode(), digest_size=16)
    for step in shipped_migrations():
        digest.update(step.digest.encode())
    if only_shipped():
        digest.update(synced_hash().encode())
    return f"ledger-{digest.hexdigest()}"


def _connect(place: Path, *, read_only: bool, wait_s: float) -> duckdb.DuckDBPyConnection:
    _import_duckdb()
    import duckdb

    began = time.monotonic()
    told = False
    while True:
        try:
            return duckdb.connect(str(place), read_only=read_only)
        except duckdb.Error as error:
            # Another thread may be about to close it; if it is this one, waiting does not help.
            own = "different configuration than existing connections" in str(error)
            holder = _holder(error)
            if not own and holder is None:
                raise DatabaseError(f"{place}: {_why(error)}") from error
            waited_s = time.monotonic() - began
            if waited_s >= (min(wait_s, OWN_WAIT_S) if own else wait_s):
                raise _held(place, holder, wait_s, read_only=read_only) from error
            if holder is not None and not told and waited_s >= TELL_AFTER_S:
                told = True
                tell_wait(f"{place}: held by {holder}; waiting until it lets go, at most {wait_s:g} s")
        time.sleep(POLL_S)


def _import_duckdb() -> None:
    was_there = "duckdb" in sys.modules
    import duckdb

    if not was_there and getattr(duckdb, "STRING", None) is not None:
        # Its import opens a database in memory with threads of its own, beside which no process may be forked: for such
        # names, which a command leaves out.
        duckdb.close()


def _held(place: Path, holder: str | None, wait_s: float, *, read_only: bool) -> DatabaseHeldError:
    if holder is None:
        return DatabaseHeldError(
            f"{place}: this very process has it open in another mode: close that connection first, or ask a copy"
        )
    longer = "" if read_only else ", wait longer (--wait N)"
    return DatabaseHeldError(
        f"{place}: held by {holder}, waited {wait_s:g} s. Close that program{longer}, or ask a copy of the file; "
        f"`bench sql` lets go after each question"
    )


def _holder(error: Exception) -> str | None:
    # DuckDB has no class of its own for a held file: its message is all there is.
    message = str(error)
    if match := _HOLDER.search(message):
        return f"{match['program']} (PID {match['pid']})"
    if "Could not set lock" in message or "being used by another process" in message:
        return "another process"
    return None


def _why(error: Exception) -> str:
    message = str(error)
    if "not a valid DuckDB database file" in message:
        return "is not a DuckDB database. Name the ledger with --db"
    if "with version number" in message:
        return f"was written by another release of DuckDB. Install the benchledger that wrote it. ({message})"
    return f"DuckDB cannot open it. Check the path, its permissions and the free space. ({message})"
