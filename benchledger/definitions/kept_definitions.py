"""Definitions as read last, kept until a file that they were read from changes: a third of the time."""

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
# Where formats are, and what they name.
_FORMATS_FROM = ("ingest", "ingest/formats", "ingest/names", "queries/rules", "schema/vocabulary")


def known_or_read(kind: str, files: list[Path], read: Callable[[], _Read]) -> _Read:
    """What is read from some files, as it was when they said the same."""
    now = hash_of(files).encode()
    # Errors name the files, so that each checkout has its own, and with each folder of one's own another; what it said
    # before is not kept.
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
    """Every format by name, as read_formats gives them. Raises as it does."""
    files = [path for folder in _FORMATS_FROM for path in folders.definition_files(folder, ".toml")]
    return known_or_read("formats", files, read_formats)


def read_formats() -> dict[str, LogFormat]:
    """Every format as its file says."""
    # What reads them is half of what an ingest of a few logs imports.
    from benchledger.definitions import format_file

    return format_file.read_formats()
