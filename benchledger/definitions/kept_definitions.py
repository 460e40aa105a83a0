"""Caches definitions that were read, until one of their files changes: this takes a third of the time."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from benchledger.definitions import folders
from benchledger.definitions.cache import hash_of, keep, kept
from benchledger.definitions.log_format import LogFormat

_Read = TypeVar("_Read")
# The folders of formats, and of the definitions that they name.
_FORMATS_FROM = ("ingest", "ingest/formats", "ingest/names", "queries/rules", "schema/vocabulary")


def known_or_read(kind: str, files: list[Path], read: Callable[[], _Read]) -> _Read:
    """Returns the cached result of `read` if these files are unchanged, else reads them again."""
    now = hash_of(files).encode()
    # The name holds the folders, because error messages name files: each checkout and each set of the user's folders
    # has its own entry, and only the newest content is cached.
    roots = "\0".join(map(str, folders.definition_roots()))
    name = f"{kind}-{hashlib.blake2b(roots.encode(errors='surrogateescape'), digest_size=8).hexdigest()}"
    content = kept(name)
    if content is not None and content.startswith(now):
        known: _Read = pickle.loads(content[len(now) :])  # noqa: S301 - this user's, see `kept`
        return known
    found = read()
    keep(name, now + pickle.dumps(found, pickle.HIGHEST_PROTOCOL))
    return found


def read_or_kept() -> dict[str, LogFormat]:
    """Returns every format by name, cached. Raises as read_formats does."""
    files = [path for folder in _FORMATS_FROM for path in folders.definition_files(folder, ".toml")]
    return known_or_read("formats", files, read_formats)


def read_formats() -> dict[str, LogFormat]:
    """Returns every format, read from its file."""
    # Imported late: the reader is half of the imports of a small ingest.
    from benchledger.definitions import format_file

    return format_file.read_formats()
