"""Caches results that are expensive to compute, in the user's cache folder.

The name of an entry holds a hash of everything that its content depends on. Without a writable folder, or in one that
others may write to, results are computed again in each process: entries are unpickled, which runs what is in them.
"""

from __future__ import annotations

import os
import stat
import sys
import time
import zlib
from contextlib import suppress
from pathlib import Path

# `$BENCH_CACHE` names another folder; if empty, nothing is cached.
ENVIRONMENT_VARIABLE = "BENCH_CACHE"
_CHECKSUM_BYTES = 4
# Distinguishes our files from others in a folder that `$BENCH_CACHE` names.
_ENDING = ".cache"
_MAX_AGE_S = 30 * 24 * 3600
_TOUCH_AFTER_S = 24 * 3600
_MOST_LINKS = 40


def cache_folder() -> Path | None:
    """Returns the cache folder, which need not exist; None if caching is disabled."""
    given = os.environ.get(ENVIRONMENT_VARIABLE)
    if given is not None:
        return Path(given) if given else None
    try:
        home = Path.home()
    except RuntimeError:
        return None
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "benchledger"
    return Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache") / "benchledger"


def read_entry(name: str) -> bytes | None:
    """Returns the content under a name; None if it is missing or damaged."""
    folder = cache_folder()
    if folder is None:
        return None
    path = folder / f"{name}{_ENDING}"
    try:
        # Reading a pipe would wait for ever.
        if not is_own(path) or not path.is_file():
            return None
        stored = path.read_bytes()
        if path.stat().st_mtime < time.time() - _TOUCH_AFTER_S:
            os.utime(path)
    except OSError:
        return None
    content = stored[_CHECKSUM_BYTES:]
    return content if _checksum(content) == stored[:_CHECKSUM_BYTES] else None


def write_entry(name: str, content: bytes) -> None:
    """Writes a content under a name, completely or not at all; deletes entries unused for a month. Never fails."""
    folder = cache_folder()
    if folder is None:
        return
    scratch = folder / f".{name}.{os.getpid()}"
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not is_own(folder):
            return
        try:
            # Not by the umask, which may let the group write.
            scratch.touch(mode=0o600)
            scratch.write_bytes(_checksum(content) + content)
            scratch.replace(folder / f"{name}{_ENDING}")
        finally:
            scratch.unlink(missing_ok=True)
        for path in folder.glob(f"*{_ENDING}"):
            if path.stat().st_mtime < time.time() - _MAX_AGE_S:
                path.unlink(missing_ok=True)


def is_own(path: Path) -> bool:
    """Returns whether only this user and root can have written a file, or put another one in its place.

    It and each folder and link that leads to it belong to them, and neither group nor others may write to it. In a
    folder with the sticky bit, such as /tmp, others cannot replace what is not theirs. Raises OSError if it is missing.
    """
    if not hasattr(os, "getuid"):
        return True
    parts = list(path.absolute().parts)
    place, links = Path(parts.pop(0)), 0
    while True:
        status = place.lstat()
        if status.st_uid not in (0, os.getuid()):
            return False
        if stat.S_ISLNK(status.st_mode):
            links += 1
            if links > _MOST_LINKS:
                return False
            target = place.parent / place.readlink()
            parts = [*target.parts[1:], *parts]
            place = Path(target.parts[0])
            continue
        is_sticky = stat.S_ISDIR(status.st_mode) and status.st_mode & stat.S_ISVTX
        if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH) and not is_sticky:
            return False
        if not parts:
            return True
        # `..` is followed by the system, behind a link too.
        place /= parts.pop(0)


def _checksum(content: bytes) -> bytes:
    """Detects damage. From the standard library: `bench run` must start in an environment that has only click."""
    return zlib.crc32(content).to_bytes(_CHECKSUM_BYTES, "big")
