"""Temporary folders, and temporary files that are renamed to their target when they are complete."""

from __future__ import annotations

import glob
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from benchledger.definitions.regular_file import refuse_link

# DuckDB 1.2 and later read it. In the older form, DuckDB's default, a ledger takes twice as long to open.
STORAGE_VERSION = "v1.2.0"
# Settings with which DuckDB makes a file.
NEW_FILE: dict[str, str | bool | int | float | list[str]] = {"storage_compatibility_version": STORAGE_VERSION}
# A younger file may belong to a process of another machine, which is not visible here.
_OLD_S = 600
_PROCESS = re.compile(r"\.new-(\d{1,9})(?=\.|$)")
# Half-written ledgers, answers and redacted copies.
_SCRATCH = re.compile(r".+\.(?:making|redacting)\.new-\d{1,9}(?:\..+)?")


def is_scratch(place: str) -> bool:
    """Tells by its name whether a file is one that another command has not completed."""
    return ".new-" in place and _SCRATCH.fullmatch(Path(place).name) is not None


def scratch_of(target: Path) -> Path:
    """Returns the path of a temporary file beside `target`, and removes those that killed processes left."""
    remove_leftovers(target.parent.glob(f"{glob.escape(target.name)}.making.new-*"))
    # Users name their own files `bench.duckdb.new-20261127`, but not with `.making.`.
    place = target.with_name(f"{target.name}.making.new-{os.getpid()}")
    # Process numbers can be guessed, so somebody could put a link there.
    refuse_link(place)
    return place


def remove_leftovers(files: Iterable[Path]) -> None:
    """Removes each file that is old and whose process, the number in its name, has ended."""
    for file in files:
        with suppress(OSError):
            if _is_left(file.name, file.stat().st_mtime):
                file.unlink()


def _is_left(name: str, written_s: float) -> bool:
    named = _PROCESS.search(name)
    return named is not None and time.time() - written_s > _OLD_S and not is_running(int(named[1]))


@contextmanager
def work_folder() -> Iterator[Path]:
    """Makes a temporary folder and removes it at the end, with old ones that killed processes of this user left."""
    for left in Path(tempfile.gettempdir()).glob("bench-work.new-*"):
        with suppress(OSError):
            written_s = max(file.lstat().st_mtime for file in (left, *left.rglob("*")))
            if left.lstat().st_uid == os.getuid() and _is_left(left.name, written_s):
                shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=f"bench-work.new-{os.getpid()}.") as folder:
        yield Path(folder)


def is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
