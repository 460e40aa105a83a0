"""Caches results that are expensive to compute, in the user's cache folder.

The name of an entry holds a hash of everything that its content depends on. Without a writable folder, results are
computed again in each process.
"""

from __future__ import annotations

import os
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
        status = path.stat()
        # In a folder with several writers, another user's file could contain anything, and is unpickled later.
        if hasattr(os, "getuid") and status.st_uid != os.getuid():
            return None
        stored = path.read_bytes()
        if status.st_mtime < time.time() - _TOUCH_AFTER_S:
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
        try:
            scratch.write_bytes(_checksum(content) + content)
            scratch.replace(folder / f"{name}{_ENDING}")
        finally:
            scratch.unlink(missing_ok=True)
        for path in folder.glob(f"*{_ENDING}"):
            if path.stat().st_mtime < time.time() - _MAX_AGE_S:
                path.unlink(missing_ok=True)


def _checksum(content: bytes) -> bytes:
    """Detects damage. From the standard library: `bench run` must start in an environment that has only click."""
    return zlib.crc32(content).to_bytes(_CHECKSUM_BYTES, "big")
