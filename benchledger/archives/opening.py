"""Opens a file as an ingest reads it: its bytes, or the content of a compressed log."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from benchledger.archives.disk_file import open_file
from benchledger.archives.limits import Limits
from benchledger.archives.magic_bytes import COMPRESSED, HEAD, is_archive, kind_of
from benchledger.archives.streams import Source
from benchledger.archives.walk import Archive


def is_archive_of_files(path: Path) -> bool:
    """Tells by its first bytes whether a file is an archive and not a single compressed log."""
    with open_file(str(path)) as file:
        return is_archive(file.read(HEAD)) and _decompressed(file, path) is None


@contextmanager
def open_log(path: Path) -> Iterator[Source]:
    """Yields the bytes of a log, decompressed if it is a compressed log."""
    with open_file(str(path)) as file:
        yield _decompressed(file, path) or file


def _decompressed(file: BinaryIO, path: Path) -> Source | None:
    file.seek(0)
    head = file.read(HEAD)
    file.seek(0)
    if kind_of(head) not in COMPRESSED:
        return None
    member = next(Archive(file, path.stat().st_size, path.name, 0, Limits()).members())
    # The members of a compressed tar have names of their own.
    return member.stream if member.lone and member.where.inner is None else None
