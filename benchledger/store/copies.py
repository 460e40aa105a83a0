"""Copies of a ledger: without its free blocks, so that no copy holds removed rows; for a trial, as it is."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from benchledger.definitions.regular_file import ledger_place, need_regular_ledger
from benchledger.errors import DatabaseError, cure_of_writing, refuse_existing
from benchledger.store.database import open_for_writing, spill_files
from benchledger.store.private_file import private_path, private_paths
from benchledger.store.scratch import STORAGE_VERSION, scratch_of
from benchledger.store.tables import quoted, quoted_text, tables_of

if TYPE_CHECKING:
    import duckdb

_COPY = "benchledger_copy"


def copy_to(con: duckdb.DuckDBPyConnection, target: Path, changes: Iterable[str] = ()) -> None:
    """Writes the open ledger into a new file, in one state between writes.

    `changes` are statements that run in the copy, with table names without a prefix. Raises DatabaseError if the copy
    cannot be written or has other rows; the new file is then removed.
    """
    import duckdb

    try:
        (source,) = con.execute("select current_database()").fetchall()[0]
        con.execute(f"attach {quoted_text(str(target))} as {_COPY} (read_write, storage_version '{STORAGE_VERSION}')")
        try:
            con.execute(f"copy from database {quoted(source)} to {_COPY}")
            _compare(con, source, target)
            con.execute(f"use {_COPY}")
            for change in changes:
                con.execute(change)
            con.execute(f"checkpoint {_COPY}")
        finally:
            con.execute(f"use {quoted(source)}")
            con.execute(f"detach {_COPY}")
    except BaseException as error:
        target.unlink(missing_ok=True)
        Path(f"{target}.wal").unlink(missing_ok=True)
        if isinstance(error, duckdb.Error) and not isinstance(error, duckdb.InterruptException):
            raise DatabaseError(
                f"{target}: the copy could not be written: {error}. {cure_of_writing(error)}"
            ) from error
        raise


def open_in_memory() -> duckdb.DuckDBPyConnection:
    """Opens an empty ledger without a file, to compute in what a ledger would hold."""
    with tempfile.TemporaryDirectory() as folder:
        # To copy the schema of a new ledger takes a fifth of the time of migrations.
        empty = Path(folder) / "empty.duckdb"
        open_for_writing(empty).close()
        import duckdb

        con = duckdb.connect(":memory:")
        con.execute("set threads = 1")
        con.execute(f"attach {quoted_text(str(empty))} as {_COPY} (read_only)")
        con.execute(f"copy from database {_COPY} to memory (schema)")
        con.execute(f"insert into kept.schema_version from {_COPY}.kept.schema_version")
        con.execute(f"detach {_COPY}")
    return con


def need_no_ledger(target: Path) -> None:
    """Raises UsageError if there is a ledger at `target`, or a file that belongs to one."""
    refuse_existing(target, cure="Name another file with --into")
    left = f"Name another file with --into. If a killed command left it (there is no {target}), remove it"
    refuse_existing(*private_paths(target), Path(f"{target}.wal"), cure=left)


@contextmanager
def new_ledger(target: Path) -> Iterator[Path]:
    """Yields a place for a ledger and its private files; when they are complete, they replace those of `target`."""
    target = ledger_place(target)
    scratch = scratch_of(target)
    try:
        yield scratch
        steps = _replacement(scratch, target)
        try:
            _take(steps)
        except KeyboardInterrupt:
            # A half-done replacement is neither the old ledger nor the new one: complete it first.
            _take(steps)
            raise
    finally:
        for left in (scratch, Path(f"{scratch}.wal"), *private_paths(scratch)):
            left.unlink(missing_ok=True)


def _replacement(scratch: Path, target: Path) -> list[Callable[[], object]]:
    """The steps that put a ledger at `target`; after each step, all files there belong to one ledger.

    DuckDB would replay an old write-ahead log into the new ledger: it is removed first. The ledger comes after its key.
    """
    old = (Path(f"{target}.wal"), target, *private_paths(target))
    pairs = zip((*private_paths(scratch), scratch), (*private_paths(target), target), strict=True)
    moves = [partial(new.replace, place) for new, place in pairs if new.exists()]
    return [*(partial(place.unlink, missing_ok=True) for place in old), *moves]


def _take(steps: list[Callable[[], object]]) -> None:
    while steps:
        # An interrupted step is repeated, although it may have been done.
        with suppress(FileNotFoundError):
            steps[0]()
        steps.pop(0)


def _compare(con: duckdb.DuckDBPyConnection, source: str, target: Path) -> None:
    tables = [tables_of(con, name) for name in (source, _COPY)]
    for table in tables[0]:
        counts = [
            con.sql(f"from {quoted(home)}.{table.sql}").aggregate("count(*)").fetchall() for home in (source, _COPY)
        ]
        if tables[0] != tables[1] or counts[0] != counts[1]:
            raise DatabaseError(
                f"{target}: the copy differs from the ledger in table {table}. Check the disk, then try again"
            )


def ledger_files(db: Path) -> set[str]:
    place = Path(os.path.realpath(db))
    seen = private_path(place)
    own = [f"{file}{end}" for file in (seen, private_paths(place)[2]) for end in ("-journal", "-wal")]
    files = (place, f"{place}.wal", *private_paths(place), *own, *spill_files(place))
    return set(map(str, files))


def copy_for_trial(db: Path, folder: Path) -> Path:
    """Copies a ledger with its private files, if there is one, and returns the place of the copy."""
    need_regular_ledger(db)
    target = folder / "trial.duckdb"
    # The contents of logs are not read by a trial, and may be large.
    for source, copy in zip((db, *private_paths(db)[:2]), (target, *private_paths(target)[:2]), strict=True):
        if source.exists():
            try:
                shutil.copy(source, copy)
            except OSError as error:
                raise DatabaseError(
                    f"{source}: cannot be copied for a dry run: {error.strerror}. Free some disk space"
                ) from error
    return target
