"""Caches definitions that were read, and which of them passed their samples, until one of their files changes."""

from __future__ import annotations

import hashlib
import pickle
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TypeVar

from benchledger.definitions import folders
from benchledger.definitions.file_cache import read_entry, write_entry

_Read = TypeVar("_Read")


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
