"""Writes a ledger again, completely or not at all (`bench db backup`, `compact`), or brings it to this version."""

from __future__ import annotations

import os
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchledger.definitions.regular_file import is_duckdb
from benchledger.errors import DatabaseError, UsageError, refuse_existing
from benchledger.scanning.sqlite_rows import MAGIC as SQLITE
from benchledger.store.copies import copy_to, new_ledger
from benchledger.store.database import open_as_it_is, open_for_reading, open_for_writing
from benchledger.store.default_db import DEFAULT_DB
from benchledger.store.facade import refuse_facade
from benchledger.store.frames import frame_of
from benchledger.store.key_file import KEY_MAGIC, key_path, stored_key
from benchledger.store.log_contents import copy_contents
from benchledger.store.migrations import migrate, schema_version
from benchledger.store.private_file import copy_private, key_of, private_paths
from benchledger.store.scratch import scratch_of
from benchledger.store.sync import sync_definitions
from benchledger.store.writing import closing_written, transaction, written

if TYPE_CHECKING:
    import duckdb
    import polars as pl


# Rows that no result needs and that may name people or other files of a folder.
_PUBLIC = (
    "update kept.exclusion set excluded_by = null",
    "update kept.accepted_change set accepted_by = null",
    "delete from log where format is null",
    "delete from kept.unread where log_id not in (select log_id from log)",
    "delete from kept.ignored_piece where log_id not in (select log_id from log)",
    "delete from sighting where log_id is null or log_id not in (select log_id from log)",
    "delete from kept.sighting_fact where sighting_id not in (select sighting_id from sighting)",
    "delete from kept.sighting_file where sighting_id not in (select sighting_id from sighting)",
)


@dataclass(frozen=True)
class Backup:
    """The copy that was written: its path, its size, and the paths of its private files."""

    path: str
    bytes: int
    private: tuple[str, ...]


@dataclass(frozen=True)
class Compacted:
    """The sizes of a ledger before and after compaction."""

    path: str
    bytes_before: int
    bytes_after: int


def db_backup(
    file: Path | str, *, public: bool = False, force: bool = False, db: Path | str = DEFAULT_DB, wait_s: float = 30.0
) -> Backup:
    """Copies a ledger to `file`, and its private files beside it, in one state between writes.

    `public` is for sharing: no private files, no names of those who excluded runs, no names of files that were no logs.
    Raises UsageError if a file exists and not `force`, or if it is the ledger itself or no copy of it.
    """
    target, source = Path(file), Path(db)
    _need_free(target, source, force=force)
    with new_ledger(target) as scratch:
        with closing(open_for_reading(source, wait_s, files=True)) as con:
            refuse_facade(con, source)
            copy_to(con, scratch, _PUBLIC if public else ())
            if not public:
                copy_private(source, scratch)
                copy_contents(source, scratch)
        if public:
            with closing(open_for_writing(scratch, make=False, files=True)) as con:
                _rewrite(scratch, con)
        scratch.chmod(source.stat().st_mode & 0o777)
    return Backup(
        str(target), target.stat().st_size, tuple(str(file) for file in private_paths(target) if file.is_file())
    )


def db_compact(*, db: Path | str = DEFAULT_DB, wait_s: float = 30.0) -> Compacted:
    """Rewrites a ledger in place without its free blocks. Nothing of removed rows is left in the file."""
    place = Path(os.path.realpath(db))
    with closing(open_for_writing(place, wait_s, make=False, files=True)) as con:
        with written(place):
            con.execute("checkpoint")
        before = place.stat().st_size
        _rewrite(place, con)
    return Compacted(str(db), before, place.stat().st_size)


def _need_free(target: Path, source: Path, *, force: bool) -> None:
    if not target.parent.is_dir():
        raise UsageError(f"{target}: folder {target.parent} does not exist. Create it, or name another file")
    own = [os.path.realpath(path) for path in (source, *private_paths(source))]
    for place in (target, *private_paths(target), Path(f"{target}.wal")):
        if os.path.realpath(place) in own:
            raise UsageError(f"{place}: is the ledger itself. Name another file")
        if os.path.lexists(place) and not place.is_file():
            raise UsageError(f"{place}: is not a file. Name another one")
        if not force:
            refuse_existing(place, cure="Name another file, or use --force")
        if place.is_file() and place.stat().st_size and not _is_copy(place, target):
            what = "copy of a ledger" if place == target else "private file of a copy"
            raise UsageError(f"{place}: is not a {what}, and is not overwritten. Name another file")
    if target.exists() and stored_key(target) not in (None, key_of(source)):
        raise UsageError(
            f"{target}: is a ledger with another key, so no copy of {source}, and is not overwritten. Name another "
            f"file, or remove that ledger"
        )


def _is_copy(place: Path, target: Path) -> bool:
    """Whether a file is a ledger, or a file that bench or DuckDB puts beside one."""
    if place.name == f"{target.name}.wal":
        return target.is_file()
    if place == target:
        return _is_ledger(place)
    with place.open("rb") as file:
        head = file.read(len(KEY_MAGIC))
    return head == (KEY_MAGIC if place == key_path(target) else SQLITE)


def _is_ledger(place: Path) -> bool:
    if not is_duckdb(place):
        return False
    with closing(open_as_it_is(place, wait_s=0)) as con:
        try:
            schema_version(con, str(place))
        except DatabaseError:
            return False
    return True


def _rewrite(place: Path, con: duckdb.DuckDBPyConnection) -> None:
    # The old file stays locked during the copy, so that nobody can have written to it since.
    scratch = scratch_of(place)
    try:
        copy_to(con, scratch)
        scratch.chmod(place.stat().st_mode & 0o777)
        scratch.replace(place)
    finally:
        scratch.unlink(missing_ok=True)


def db_migrate(*, db: Path | str = DEFAULT_DB, wait_s: float = 30.0) -> pl.DataFrame:
    """Brings a ledger to this program's version. Returns all its steps so far: version, time, whether taken now.

    Each step is a transaction: a step that fails leaves the ledger at the version before. Raises DatabaseError for a
    ledger of a newer version or of an unreleased one, DatabaseHeldError if it is locked for longer than `wait_s`.
    """
    import polars as pl

    with closing_written(open_as_it_is(Path(db), read_only=False, wait_s=wait_s), db) as con:
        applied = migrate(con, str(db))
        # New columns of views need the current rules, even if no migration was applied: an earlier command may have
        # been killed after its migrations.
        with transaction(con, db):
            sync_definitions(con)
        steps = "select version, applied_at, benchledger_version from kept.schema_version order by version"
        return frame_of(con.sql(steps)).with_columns(now=pl.col("version").is_in(applied))
