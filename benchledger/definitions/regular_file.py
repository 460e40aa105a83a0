"""Refuses files whose reading may never end, before they are opened: pipes, sockets and devices."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from benchledger.errors import UsageError

NO_FILE = "no regular file (a pipe, socket or device): it is not opened"


def need_regular(path: Path | str) -> None:
    """Raises UsageError for a pipe, socket or device. A missing file and a folder pass: who opens them says more."""
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116 - callers have texts too
    except OSError:
        return
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise UsageError(f"{path}: {NO_FILE}. Copy what it gives into a file, and name that one")


def need_regular_ledger(path: Path | str) -> None:
    """Does the same for a database and its write-ahead log, which DuckDB opens too."""
    for file in (path, f"{path}.wal"):
        need_regular(file)
