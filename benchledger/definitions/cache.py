"""Caches results that are expensive to compute, in the user's cache folder.

The name of an entry holds a hash of everything that its content depends on. Without a writable folder, results are
computed again in each process.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path

import xxhash

# `$BENCH_CACHE` names another folder; if empty, nothing is cached.
ENVIRONMENT_VARIABLE = "BENCH_CACHE"
_CHECKSUM = xxhash.xxh3_128().digest_size
# Distinguishes our files from others in a folder that `$BENCH_CACHE` names.
_ENDING = ".kept"
_UNUSED_S = 30 * 24 * 3600
_USED_AGAIN_S = 24 * 3600


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


def kept(name: str) -> bytes | None:
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
        if status.st_mtime < time.time() - _USED_AGAIN_S:
            os.utime(path)
    except OSError:
        return None
    content = stored[_CHECKSUM:]
    return content if xxhash.xxh3_128_digest(content) == stored[:_CHECKSUM] else None


def keep(name: str, content: bytes) -> None:
    """Writes a content under a name, completely or not at all; deletes entries unused for a month. Never fails."""
    folder = cache_folder()
    if folder is None:
        return
    scratch = folder / f".{name}.{os.getpid()}"
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            scratch.write_bytes(xxhash.xxh3_128_digest(content) + content)
            scratch.replace(folder / f"{name}{_ENDING}")
        finally:
            scratch.unlink(missing_ok=True)
        for path in folder.glob(f"*{_ENDING}"):
            if path.stat().st_mtime < time.time() - _UNUSED_S:
                path.unlink(missing_ok=True)


@cache
def engine_hash() -> str:
    """Returns a hash of the code that reads definitions and logs, and of the Python version."""
    package = Path(__file__).resolve().parent.parent
    digest = hashlib.blake2b(sys.version.encode(), digest_size=16)
    for part in ("definitions", "redaction", "scanning"):
        for path in sorted((package / part).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()


def hash_of(files: Iterable[Path]) -> str:
    """Returns a hash of some definition files and of the code that reads them; a missing file counts as empty."""
    digest = hashlib.blake2b(engine_hash().encode(), digest_size=16)
    for path in files:
        content = b""
        with suppress(OSError):
            content = path.read_bytes()
        digest.update(f"{path.parent.name}/{path.name} {len(content)}\n".encode("utf-8", "surrogateescape"))
        digest.update(content)
    return digest.hexdigest()


class Proofs:
    """The definitions that passed their samples under this engine, by hash: they are not checked again."""

    def __init__(self, kind: str) -> None:
        self._name = f"proofs-{kind}-{engine_hash()}"
        self._proved = set((kept(self._name) or b"").decode("ascii").split())

    def __contains__(self, definition_hash: str) -> bool:
        return definition_hash in self._proved

    def add(self, definition_hashes: Iterable[str]) -> None:
        """Remembers definitions that passed."""
        if new := set(definition_hashes) - self._proved:
            self._proved |= new
            keep(self._name, "\n".join(sorted(self._proved)).encode("ascii"))
