"""Caches definitions that were read, and which of them passed their samples, until one of their files changes."""

from __future__ import annotations

import hashlib
import os
import pickle
import stat
import sys
import time
import zlib
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TypeVar

from benchledger.definitions import folders

# `$BENCH_CACHE` names another folder; if empty, nothing is cached.
ENVIRONMENT_VARIABLE = "BENCH_CACHE"
_CHECKSUM_BYTES = 4
# Distinguishes our files from others in a folder that `$BENCH_CACHE` names.
_ENDING = ".cache"
_MAX_AGE_S = 30 * 24 * 3600
_TOUCH_AFTER_S = 24 * 3600
_MOST_LINKS = 40
_Read = TypeVar("_Read")


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
    return content if _checksum(name, content) == stored[:_CHECKSUM_BYTES] else None


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
            scratch.write_bytes(_checksum(name, content) + content)
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


def _checksum(name: str, content: bytes) -> bytes:
    """Detects damage, and another entry under this name.

    From the standard library: `bench run` must start in an environment that has only click.
    """
    return zlib.crc32(content, zlib.crc32(name.encode())).to_bytes(_CHECKSUM_BYTES, "big")


def cached(kind: str, files: Iterable[Path], read: Callable[[], _Read]) -> _Read:
    """Returns the cached result of `read` if these files are unchanged, else reads them again."""
    now = hash_of(files).encode()
    # The name holds the folders, because error messages name files: each checkout and each set of the user's folders
    # has its own entry, and only the newest content is cached.
    roots = "\0".join(map(str, folders.definition_roots()))
    name = f"{kind}-{hashlib.blake2b(roots.encode(errors='surrogateescape'), digest_size=8).hexdigest()}"
    content = read_entry(name)
    if content is not None and content.startswith(now):
        known: _Read = pickle.loads(content[len(now) :])  # noqa: S301 - this user's own, see `is_own`
        return known
    found = read()
    write_entry(name, now + pickle.dumps(found, pickle.HIGHEST_PROTOCOL))
    return found


def files_in(*kinds: str) -> list[Path]:
    """Returns the TOML files of some folders of definitions."""
    return [path for kind in kinds for path in folders.definition_files(kind, ".toml")]


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
        self._proved = set((read_entry(self._name) or b"").decode("ascii").split())

    def __contains__(self, definition_hash: str) -> bool:
        return definition_hash in self._proved

    def add(self, definition_hashes: Iterable[str]) -> None:
        if new := set(definition_hashes) - self._proved:
            self._proved |= new
            write_entry(self._name, "\n".join(sorted(self._proved)).encode("ascii"))
