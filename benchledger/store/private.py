"""The private file beside a ledger: real paths and the key of the pseudonyms. It is never exported."""

from __future__ import annotations

import os
import secrets
import sqlite3
import sys
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from benchledger.errors import DatabaseError, cure_of_writing

KEY_BYTES = 32
_OWNER_ONLY = 0o600
_TABLES = """
create table if not exists secret (key blob not null);
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
"""


# A tuple: of a tree of many files each is made at every ingest.
class SeenFile(NamedTuple):
    """One file as it was when it was last read: unchanged if place, size and modification time are."""

    place: str
    size: int
    mtime_ns: int
    sighting_id: int
    log_id: int | None
    definitions_hash: str
    status: str
    within: str = ""


def private_path(db_path: Path | str) -> Path:
    """Where the private file of a database lies."""
    return Path(f"{db_path}.private")


def key_of(db_path: Path | str) -> bytes | None:
    """The key of a ledger's pseudonyms; None where its private file is missing or empty, and stays so."""
    path = private_path(db_path)
    if not path.is_file() or not path.stat().st_size:
        return None
    try:
        # Whoever may read a ledger and not write it may redact as it does.
        with closing(_read_only(path)) as con:
            (key,) = con.execute("select key from secret").fetchone() or (None,)
    except sqlite3.Error as error:
        raise _unusable(path, error) from error
    return key


class PrivateFile:
    """The private file of one database, made with a new key, or with the one given, if there is none: see `is_new`.

    Without it only --refresh and the skipping of unchanged files are lost, and pseudonyms get a new key.
    """

    def __init__(self, db_path: Path | str, key: bytes | None = None) -> None:
        self.path = private_path(db_path)
        self.is_new = _make_private(self.path)
        try:
            self._con = sqlite3.connect(self.path, timeout=30.0)
            with self._con:
                self._con.executescript(_TABLES)
                # In one statement, so that two processes that start together agree on one key.
                self._con.execute(
                    "insert into secret select ? where not exists (select 1 from secret)",
                    [key or secrets.token_bytes(KEY_BYTES)],
                )
            row = self._con.execute("select key from secret").fetchone()
        except sqlite3.Error as error:
            raise _unusable(self.path, error) from error
        self.key: bytes = row[0]
        if key is not None and key != self.key:
            self.close()
            raise DatabaseError(
                f"{db_path}: this ledger was made with another key than that of the key file: one host would have two "
                f"pseudonyms in it. Leave the key file out, or ingest into a new ledger"
            )

    def seen(self) -> dict[str, SeenFile]:
        """Every file that was seen, by its place, in the order in which they were seen last."""
        encoding, errors = sys.getfilesystemencoding(), sys.getfilesystemencodeerrors()
        try:
            with closing(
                self._con.execute(
                    """select place, size, mtime_ns, sighting_id, log_id, definitions_hash, status, within
                       from seen_file order by rowid"""
                )
            ) as rows:
                # As os.fsdecode, which asks each time what it is given.
                return {
                    (name := place.decode(encoding, errors)): SeenFile(
                        name, size, mtime_ns, sighting, log, digest, status, within.decode(encoding, errors)
                    )
                    for place, size, mtime_ns, sighting, log, digest, status, within in rows
                }
        except sqlite3.Error as error:
            raise _unusable(self.path, error) from error

    def remember(self, files: Iterable[SeenFile]) -> None:
        """Stores files in one transaction; a place that is known already gets its new state."""
        rows = [
            (
                os.fsencode(file.place),
                file.size,
                file.mtime_ns,
                file.sighting_id,
                file.log_id,
                file.definitions_hash,
                file.status,
                os.fsencode(file.within),
            )
            for file in files
        ]
        self._write("insert or replace into seen_file values (?, ?, ?, ?, ?, ?, ?, ?)", rows)

    def forget(self, places: Iterable[str]) -> None:
        """Removes places; one that is not known is no error."""
        self._write("delete from seen_file where place = ?", [(os.fsencode(place),) for place in places])

    def close(self) -> None:
        """Closes the file; what was remembered is on disk already."""
        self._con.close()

    def _write(self, statement: str, rows: Sequence[tuple[object, ...]]) -> None:
        try:
            with self._con:
                self._con.executemany(statement, rows)
        except sqlite3.Error as error:
            raise _unusable(self.path, error) from error


def sightings_in(db_path: Path | str) -> set[int]:
    """The sightings that a ledger's private file knows. Reads it as it is: its mode and content stay.

    Raises DatabaseError if it cannot be read.
    """
    path = private_path(db_path)
    try:
        with closing(_read_only(path)) as con:
            return {row[0] for row in con.execute("select sighting_id from seen_file where log_id is not null")}
    except sqlite3.Error as error:
        raise DatabaseError(f"{path}: the private file cannot be read: {error}") from error


def logs_read_from(db_path: Path | str, places: Sequence[str]) -> set[str]:
    """Of some real paths, those that a ledger read as a log or facts.toml; none where it has no private file."""
    path = private_path(db_path)
    if not places or not path.is_file():
        return set()
    known = "select 1 from seen_file where place = ? and status in ('loaded', 'duplicate', 'superseded', 'facts')"
    try:
        with closing(_read_only(path)) as con:
            return {place for place in places if con.execute(known, [os.fsencode(place)]).fetchone()}
    except sqlite3.Error as error:
        raise DatabaseError(f"{path}: the private file cannot be read: {error}") from error


def log_read_from(db_path: Path | str, file: str) -> int | None:
    """The log_id of what a ledger read last from a file on disk; None where it read nothing from it."""
    path, given = private_path(db_path), Path(file)
    if not path.is_file():
        return None
    try:
        with closing(_read_only(path)) as con:
            # The folder as it is, and the file under its own name: a link has its own place.
            place = os.fsencode(Path(os.path.realpath(given.parent), given.name))
            row = con.execute("select log_id from seen_file where place = ?", [place]).fetchone()
    except sqlite3.Error as error:
        raise _unusable(path, error) from error
    return row[0] if row else None


def copy_private(db_path: Path | str, target_db: Path | str) -> bool:
    """Copies the private file of one ledger to that of another, readable for its owner only; False where none is there.

    Raises DatabaseError if it cannot be copied.
    """
    source, target = private_path(db_path), private_path(target_db)
    if not source.is_file():
        return False
    _make_private(target)
    try:
        with closing(sqlite3.connect(source)) as old, closing(sqlite3.connect(target)) as new:
            old.backup(new)
    except sqlite3.Error as error:
        target.unlink()
        raise DatabaseError(
            f"{source}: the private file cannot be copied: {error}. {cure_of_writing(error)}"
        ) from error
    return True


def _read_only(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)


def _unusable(path: Path, error: sqlite3.Error) -> DatabaseError:
    return DatabaseError(f"{path}: the private file cannot be used: {error}. {_cure(str(error))}")


def _cure(error: str) -> str:
    if "readonly" in error or "unable to open" in error:
        return "Give yourself the right to read it and to write it"
    if "locked" in error:
        return "Close the program that holds it, then do this again"
    if "full" in error:
        return "Free some disk space"
    return (
        "Restore it from a backup, or move it away: a new one is made, every file is read again, and hosts get new "
        "pseudonyms"
    )


def _make_private(path: Path) -> bool:
    # SQLite would create it with the umask's mode, readable for others until a chmod. Its journals inherit ours.
    try:
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, _OWNER_ONLY)
    except FileExistsError:
        if path.is_file() and path.stat().st_mode & 0o077:
            path.chmod(_OWNER_ONLY)
        return False
    except OSError as error:
        raise DatabaseError(
            f"{path.parent}: no file can be made in this folder: {error.strerror}. A ledger needs a folder "
            f"that you can write to: give yourself the right, free some space, or name another place with --db"
        ) from error
    os.close(descriptor)
    return True
