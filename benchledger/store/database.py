"""Opens the ledger for writing or reading, and names the program that locks it if it cannot."""

from __future__ import annotations

import glob
import hashlib
import os
import sys
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from benchledger.definitions.definition_cache import cache_folder, read_entry, write_entry
from benchledger.definitions.folders import only_shipped
from benchledger.definitions.regular_file import ledger_place, need_regular_ledger
from benchledger.errors import DatabaseError, cure_of_writing
from benchledger.store.confined import keep_to_the_ledger, mark_checked, without_shadows
from benchledger.store.facade import find_lake, refuse_facade
from benchledger.store.lock_wait import REPORT_AFTER_S, held_error, holder_in, report_wait
from benchledger.store.memory import use_one_thread
from benchledger.store.migrations import (
    check_version,
    date_migrations,
    glossary_file,
    migrate,
    program_version,
    shipped_migrations,
)
from benchledger.store.scratch import NEW_FILE, STORAGE_VERSION, scratch_of
from benchledger.store.sync import sync_definitions, synced_hash
from benchledger.store.writing import transaction

if TYPE_CHECKING:
    import duckdb

POLL_S = 0.1
OWN_WAIT_S = 2.0
# A ledger below this size is read by one thread: sharing out so little work takes longer than the work itself.
SMALL_BYTES = 32 << 20
SMALL_RECORDS = 100_000
# Parquet files have a seventh of the size of a ledger with the same rows.
PARQUET_RATIO = 7
# So few records are written by one thread into a larger ledger too, since the write reads little of it.
LARGE_BYTES = 256 << 20


def open_for_writing(
    path: Path | str, wait_s: float = 30.0, *, make: bool = True, records: int | None = None, files: bool = False
) -> duckdb.DuckDBPyConnection:
    """Opens the ledger at `path`. Creates it if there is none, and migrates it if it is older.

    `records`, if given, is the number of records to be written: a few need only one thread. Unless `files`, SQL reads
    and writes no other file. Waits up to `wait_s` seconds for a process that locks the file, then raises
    DatabaseHeldError. Raises DatabaseError for a file that is no ledger or of a newer version, for a facade, and for a
    missing file unless `make`.
    """
    place = ledger_place(path)
    if not make:
        need_file(place)
    if not place.parent.is_dir():
        raise DatabaseError(
            f"{place}: folder {place.parent} does not exist. Create it, or name another database with --db"
        )
    is_new = not place.exists()
    if is_new:
        _refuse_lost_log(place)
        _make(place)
    elif not os.access(place, os.W_OK):
        # Who has no right to write hears first that nobody writes a facade.
        with closing(_connect(place, read_only=True, wait_s=wait_s)) as con:
            refuse_facade(con, place)
    con = _connect(place, read_only=False, wait_s=wait_s)
    try:
        refuse_facade(con, place)
        if not files:
            keep_to_the_ledger(con)
        if records is not None and records < SMALL_RECORDS and place.stat().st_size < LARGE_BYTES:
            use_one_thread(con)
        _remove_spill_files(place)
        if migrate(con, str(place)):
            with transaction(con, place):
                sync_definitions(con)
        if is_new:
            date_migrations(con)
    except BaseException:
        con.close()
        raise
    return con


def _remove_spill_files(place: Path) -> None:
    # The lock is ours, so the process that wrote these files was killed.
    for stale in spill_files(place):
        stale.unlink(missing_ok=True)
        if stale.parent.name != f"{place.name}.tmp":
            with suppress(OSError):
                stale.parent.rmdir()


def open_for_reading(path: Path | str, wait_s: float = 30.0, *, files: bool = False) -> duckdb.DuckDBPyConnection:
    """Opens the ledger read-only. Raises as open_for_writing does, and for a missing or older database."""
    place = ledger_place(path)
    need_file(place)
    con = _connect(place, read_only=True, wait_s=wait_s)
    try:
        facade = find_lake(con, place)
        if not files:
            keep_to_the_ledger(con)
        check_version(con, str(place))
        if (facade.bytes * PARQUET_RATIO if facade else place.stat().st_size) < SMALL_BYTES:
            use_one_thread(con)
    except BaseException:
        con.close()
        raise
    return con


def open_as_it_is(path: Path | str, *, read_only: bool = True, wait_s: float = 30.0) -> duckdb.DuckDBPyConnection:
    """Opens any database without check or migration. Raises as the others do for a missing or locked file."""
    place = ledger_place(path)
    need_file(place)
    con = _connect(place, read_only=read_only, wait_s=wait_s)
    try:
        find_lake(con, place) if read_only else refuse_facade(con, place)
        keep_to_the_ledger(con)
    except BaseException:
        con.close()
        raise
    return con


def need_file(place: Path) -> None:
    if not place.exists():
        raise DatabaseError(
            f"{place}: no such database. Create it with `bench ingest PATH`, or name another one (--db)"
        )


def spill_files(place: Path) -> list[Path]:
    """Returns the files that DuckDB spilled beside a ledger; a killed process leaves them behind."""
    return list(place.parent.glob(f"{glob.escape(place.name)}.tmp*/duckdb_temp_*"))


def _refuse_lost_log(place: Path) -> None:
    if (log := Path(f"{place}.wal")).exists():
        # DuckDB would replay it into any ledger.
        raise DatabaseError(
            f"{log}: belongs to a ledger that is gone; DuckDB would add its rows to the new one. Put the ledger back, "
            f"or remove this file"
        )


def _make(place: Path) -> None:
    # Built beside its place: DuckDB cannot replay the log of a half-built schema.
    scratch = scratch_of(place)
    empty = _empty_ledger()
    try:
        # Migrations take 250 ms and the shipped rules and published numbers 40 ms; a copy takes a few.
        if (content := read_entry(empty)) is not None:
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
            write_entry(empty, scratch.read_bytes())
        mark_checked(scratch)
        if not place.exists():
            scratch.rename(place)
    except OSError as error:
        raise DatabaseError(
            f"{place}: cannot be created: {error.strerror or error}. {cure_of_writing(error)}"
        ) from error
    finally:
        for left in (scratch, Path(f"{scratch}.wal")):
            left.unlink(missing_ok=True)


def _empty_ledger() -> str:
    _import_duckdb()
    import duckdb

    digest = hashlib.blake2b(f"{program_version()} {duckdb.__version__} {STORAGE_VERSION}".encode(), digest_size=16)
    for step in shipped_migrations():
        digest.update(step.digest.encode())
    digest.update(glossary_file().read_bytes())
    if only_shipped():
        digest.update(synced_hash().encode())
    return f"ledger-{digest.hexdigest()}"


def _connect(place: Path, *, read_only: bool, wait_s: float) -> duckdb.DuckDBPyConnection:
    if place.name.partition(".")[0].lower() == "kept":
        raise DatabaseError(
            f"{place}: DuckDB cannot tell a file of this name from the schema kept of a ledger. Rename it, or name "
            f"another file with --db"
        )
    need_regular_ledger(place)
    _import_duckdb()
    import duckdb

    began, told, is_new = time.monotonic(), False, not place.exists()
    while True:
        try:
            # As an absolute path: DuckDB takes `md:x` for an address.
            con = duckdb.connect(str(place.absolute()), read_only=read_only, config=NEW_FILE if is_new else {})
            break
        except duckdb.Error as error:
            # Another thread may be about to close it. If it is this thread, waiting does not help.
            own = "different configuration than existing connections" in str(error)
            holder = holder_in(error)
            if not own and holder is None:
                raise DatabaseError(f"{place}: {_why(error)}") from error
            waited_s = time.monotonic() - began
            if waited_s >= (min(wait_s, OWN_WAIT_S) if own else wait_s):
                raise held_error(place, holder, wait_s, read_only=read_only) from error
            if holder is not None and not told and waited_s >= REPORT_AFTER_S:
                told = True
                report_wait(f"{place}: held by {holder}; waiting until it lets go, at most {wait_s:g} s")
        time.sleep(POLL_S)
    return con if is_new else without_shadows(con, place)


def _import_duckdb() -> None:
    was_there = "duckdb" in sys.modules
    import duckdb

    if not was_there:
        # Importing duckdb opens a database in memory with its own threads, and a process with threads must not be
        # forked.
        duckdb.close()


def _why(error: Exception) -> str:
    message = str(error)
    if "with version number" in message:
        return f"was written by another release of DuckDB. Install the benchledger that wrote it. ({message})"
    return f"DuckDB cannot open it. Check the path, its permissions and the free space. ({message})"
