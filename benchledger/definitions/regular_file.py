"""Refuses files whose reading may never end, before they are opened: pipes, sockets and devices."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from benchledger.errors import DatabaseError, UsageError

_DUCKDB = b"DUCK"
NO_FILE = "no regular file (a pipe, socket or device): it is not opened"


def need_regular(path: Path | str) -> None:
    """Raises UsageError for a pipe, socket or device. A missing file and a folder pass: who opens them says more."""
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116 - callers have texts too
    except OSError:
        return
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise UsageError(f"{path}: {NO_FILE}. Copy what it gives into a file, and name that one")


def ledger_place(path: Path | str) -> Path:
    """Returns the file itself if `path` is a link to a ledger: DuckDB's log and the private files lie beside that."""
    place = Path(path)
    return Path(os.path.realpath(place)) if place.is_symlink() else place


def refuse_link(path: Path) -> None:
    """Raises DatabaseError for a symbolic link: in a stranger's folder it may lead to any file, which we then write."""
    if path.is_symlink():
        cure = "Remove it; if its target belongs here, move that here"
        raise DatabaseError(f"{path}: is a link, and its target would be written. {cure}")


def need_regular_ledger(path: Path | str) -> None:
    """Raises UsageError as need_regular does, for a database and its write-ahead log, which DuckDB opens too.

    Raises DatabaseError if the log is a link (symbolic or hard), or for another kind of file: for SQLite, DuckDB would
    load an extension.
    """
    for file in (path, f"{path}.wal"):
        need_regular(file)
    refuse_link(wal := Path(f"{path}.wal"))
    if wal.exists() and wal.stat().st_nlink > 1:
        cure = f"Copy it, and move the copy into its place: cp {wal} copy; mv copy {wal}"
        raise DatabaseError(f"{wal}: has another name, too (a hard link), and that file would be written. {cure}")
    if not is_duckdb(path):
        raise DatabaseError(f"{path}: is not a DuckDB database. Name a ledger instead")


def is_duckdb(path: Path | str) -> bool:
    """Tells whether a file begins as DuckDB's do. True where nothing can be read."""
    try:
        with Path(path).open("rb") as there:
            head = there.read(len(_DUCKDB) + 8)
    except OSError:
        return True
    return head[8:] == _DUCKDB
