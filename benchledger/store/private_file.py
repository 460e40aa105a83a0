"""The private files beside a ledger, never exported: a list of the files read, with real paths, and the key."""

from __future__ import annotations

import os
import secrets
import sqlite3
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from benchledger.definitions.regular_file import ledger_place, need_regular, refuse_link
from benchledger.errors import DatabaseError, cure_of_writing
from benchledger.store.key_file import KEY_BYTES, key_path, store_key, stored_key

_OWNER_ONLY = 0o600
_TABLES = """
create table if not exists seen_file (
    -- A path is bytes: it need not be UTF-8.
    place            blob primary key,
    size             integer not null,
    mtime_ns         integer not null,
    sighting_id      integer not null,
    log_id           integer,
    definitions_hash text not null,
    status           text not null,
    -- Of a member of an archive: the archive on disk.
    within           blob not null default ''
);
-- Of these an ingest of a few files is told too.
create index if not exists special_file on seen_file (status) where status in ('facts', 'unreadable');
create table if not exists root (
    -- A folder that was named to be read; is_settled: what was seen below it before is told as its own.
    place      blob primary key,
    is_settled integer not null
);
create table if not exists name (
    -- What a pseudonym stands for, as it was met first.
    pseudonym text primary key,
    name      blob not null
);
"""
# The fields of SeenFile.
_SEEN = "select place, size, mtime_ns, sighting_id, log_id, definitions_hash, status, within from seen_file"


# A tuple, because an ingest makes one per file, and trees have many files.
class SeenFile(NamedTuple):
    """A file as it was last read; it is unchanged if place, size and modification time are equal."""

    place: str
    size: int
    mtime_ns: int
    sighting_id: int
    log_id: int | None
    definitions_hash: str
    status: str
    within: str = ""


def private_path(db_path: Path | str) -> Path:
    return Path(f"{ledger_place(db_path)}.private")


def private_paths(db_path: Path | str) -> tuple[Path, Path, Path]:
    """Returns the paths of a ledger's private files: the list of files, the key, and the kept contents of logs."""
    return private_path(db_path), key_path(db_path), Path(f"{ledger_place(db_path)}.logs")


def key_of(db_path: Path | str) -> bytes | None:
    """Returns the key of a ledger's pseudonyms, None if it has none yet. It creates and changes nothing."""
    key, path = stored_key(db_path), private_path(db_path)
    if key is not None or not path.is_file() or not path.stat().st_size:
        return key
    # Read-only, so that a user who may only read the ledger can redact with the same key.
    with _read_only(path) as con:
        return _older_key(con)


class PrivateFile:
    """The private files of one ledger; created, with a new key or the given one, if there are none.

    `is_new`: one of them was missing. Without the list of files every file is read again; without the key, too, and
    hosts get new pseudonyms.
    """

    def __init__(self, db_path: Path | str, key: bytes | None = None) -> None:
        self.path = private_path(db_path)
        self.is_new = make_private(self.path)
        _take_back_rights(key_path(db_path))
        with _usable(self.path):
            self._con = sqlite3.connect(self.path, timeout=30.0)
            with self._con:
                self._con.executescript(_TABLES)
            self.key = self._need_key(db_path, key or secrets.token_bytes(KEY_BYTES))
        if key is not None and key != self.key:
            self.close()
            raise DatabaseError(
                f"{db_path}: this ledger was made with another key than that of the key file: one host would have two "
                f"pseudonyms in it. Leave the key file out, or ingest into a new ledger"
            )

    def _need_key(self, db_path: Path | str, new: bytes) -> bytes:
        key = stored_key(db_path)
        if key is not None and _older_key(self._con) is None:
            return key
        # Nothing of a key that moves stays in the list.
        self._con.execute("pragma secure_delete = on")
        with self._con:
            # One process at a time, so that two that start together agree on one key.
            self._con.execute("begin immediate")
            key, older = stored_key(db_path), _older_key(self._con)
            if key is None:
                key = older or new
                store_key(db_path, key)
                if older is None:
                    # Its sightings are of a key that is lost.
                    self.is_new = True
                    self._con.execute("delete from seen_file")
                    self._con.execute("delete from root")
            elif older not in (None, key):
                raise DatabaseError(
                    f"{key_path(db_path)}: is not the key of {self.path}, which has one of its own. Move away the one "
                    f"that is not this ledger's"
                )
            self._con.execute("drop table if exists secret")
        return key

    def seen(self, places: Iterable[str] | None = None) -> dict[str, SeenFile]:
        """Returns every file that was seen, by place, the last seen last; or those at `places`, and special ones."""
        with _usable(self.path):
            if places is None:
                return _by_place(self._con.execute(f"{_SEEN} order by rowid"))
            special = self._con.execute(f"{_SEEN} where status in ('facts', 'unreadable')")
            there = (self._con.execute(f"{_SEEN} where place = ?", [os.fsencode(place)]) for place in places)
            return _by_place(chain(special, *there))

    def roots(self) -> dict[str, bool]:
        """Returns every folder that was ingested by name, and whether earlier files below it now count as its own."""
        with _usable(self.path):
            rows = self._con.execute("select place, is_settled from root").fetchall()
        return {os.fsdecode(place): bool(is_settled) for place, is_settled in rows}

    def remember_roots(self, folders: Iterable[str], *, is_settled: bool) -> None:
        self._write("insert or replace into root values (?, ?)", [(os.fsencode(one), is_settled) for one in folders])

    def remember(self, files: Iterable[SeenFile]) -> None:
        rows = [(os.fsencode(file.place), *file[1:7], os.fsencode(file.within)) for file in files]
        self._write("insert or replace into seen_file values (?, ?, ?, ?, ?, ?, ?, ?)", rows)

    def remember_names(self, names: Mapping[str, str]) -> None:
        rows = [(pseudonym, name.encode("utf-8", "surrogateescape")) for pseudonym, name in names.items()]
        self._write("insert or ignore into name values (?, ?)", rows)

    def forget(self, places: Iterable[str]) -> None:
        self._write("delete from seen_file where place = ?", [(os.fsencode(place),) for place in places])

    def close(self) -> None:
        self._con.close()

    def _write(self, statement: str, rows: Sequence[tuple[object, ...]]) -> None:
        with _usable(self.path), self._con:
            self._con.executemany(statement, rows)


def _by_place(rows: Iterable[tuple[Any, ...]]) -> dict[str, SeenFile]:
    # Same as os.fsdecode, which looks up the encoding at each call.
    encoding, errors = sys.getfilesystemencoding(), sys.getfilesystemencodeerrors()
    found = ((row[0].decode(encoding, errors), *row[1:7], row[7].decode(encoding, errors)) for row in rows)
    return {row[0]: SeenFile._make(row) for row in found}


def sightings_in(db_path: Path | str) -> set[int]:
    """Returns the sightings in a ledger's private file, without a change to its mode or content.

    Raises DatabaseError if it cannot be read.
    """
    with _read_only(private_path(db_path)) as con:
        return {row[0] for row in con.execute("select sighting_id from seen_file where log_id is not null")}


def places_in(db_path: Path | str) -> list[str]:
    """Returns the real paths in a ledger's private file, sorted: of files, members of archives and folders."""
    with _read_only(private_path(db_path)) as con:
        found = con.execute("select place from seen_file union select place from root").fetchall()
    return sorted(os.fsdecode(row[0]) for row in found)


def names_in(db_path: Path | str) -> dict[str, str]:
    with _read_only(private_path(db_path)) as con:
        if con.execute("select 1 from sqlite_master where name = 'name'").fetchone() is None:
            return {}
        rows = con.execute("select pseudonym, name from name").fetchall()
    return {pseudonym: name.decode("utf-8", "surrogateescape") for pseudonym, name in rows}


def logs_read_from(db_path: Path | str, places: Sequence[str]) -> set[str]:
    """Returns those of some real paths that a ledger read as a log or facts.toml; none without a private file."""
    path = private_path(db_path)
    if not places or not path.is_file():
        return set()
    known = """select 1 from seen_file
               where place = ? and status in ('loaded', 'duplicate', 'superseded', 'facts', 'document as log')"""
    with _read_only(path) as con:
        return {place for place in places if con.execute(known, [os.fsencode(place)]).fetchone()}


def log_read_from(db_path: Path | str, file: str) -> int | None:
    """Returns the log_id of the last log that a ledger read from a file on disk; None if it read none."""
    path, given = private_path(db_path), Path(file)
    if not path.is_file():
        return None
    # Resolves the folder but not the file itself: a link is a place of its own.
    place = os.fsencode(Path(os.path.realpath(given.parent), given.name))
    with _read_only(path) as con:
        row = con.execute("select log_id from seen_file where place = ?", [place]).fetchone()
    return row[0] if row else None


def copy_private(db_path: Path | str, target_db: Path | str) -> bool:
    """Copies the key and the list of files of a ledger to another's, for the owner only. False if there is no list."""
    source, target = private_path(db_path), private_path(target_db)
    if (key := stored_key(db_path)) is not None:
        store_key(target_db, key)
    if not source.is_file():
        return False
    make_private(target)
    try:
        with closing(sqlite3.connect(source)) as old, closing(sqlite3.connect(target)) as new:
            old.backup(new)
    except sqlite3.Error as error:
        target.unlink()
        raise DatabaseError(f"{source}: the private file cannot be copied: {error}. {_cure(str(error))}") from error
    return True


def _older_key(con: sqlite3.Connection) -> bytes | None:
    # Ledgers of older versions keep the key in their list of files.
    if con.execute("select 1 from sqlite_master where name = 'secret'").fetchone() is None:
        return None
    row = con.execute("select key from secret").fetchone()
    return row[0] if row else None


@contextmanager
def _read_only(path: Path) -> Iterator[sqlite3.Connection]:
    with _usable(path), closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as con:
        yield con


@contextmanager
def _usable(path: Path) -> Iterator[None]:
    # A file that SQLite cannot use is an error with its cure.
    need_regular(path)
    try:
        yield
    except sqlite3.Error as error:
        raise DatabaseError(f"{path}: the private file cannot be used: {error}. {_cure(str(error))}") from error


def _cure(error: str) -> str:
    if "readonly" in error or "unable to open" in error:
        return "Give yourself the right to read it and to write it"
    if "locked" in error:
        return "Close the program that holds it, then do this again"
    if "full" in error or "disk I/O" in error:
        return cure_of_writing(DatabaseError(error))
    return (
        "Restore it from a backup, or move it away: a new one is made, every file is read again, and hosts get new "
        "pseudonyms"
    )


def make_private(path: Path) -> bool:
    """Creates a file for its owner only, as SQLite's journals inherit its mode; returns False if there is one."""
    try:
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, _OWNER_ONLY)
    except FileExistsError:
        refuse_link(path)
        _take_back_rights(path)
        return False
    except OSError as error:
        raise DatabaseError(
            f"{path.parent}: cannot create a file in this folder: {error.strerror}. A ledger needs a folder "
            f"that you can write to: give yourself the right, free some space, or name another place with --db"
        ) from error
    os.close(descriptor)
    return True


def _take_back_rights(path: Path) -> None:
    if path.is_file() and path.stat().st_mode & 0o077:
        path.chmod(_OWNER_ONLY)
