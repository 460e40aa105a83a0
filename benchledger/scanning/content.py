"""The content of a log: its hash, which identifies it, its size, and whether it extends an older content."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

import xxhash

SMALL = 1024 * 1024


@dataclass(frozen=True)
class Previous:
    """An older content at the same place; a new one that begins with all of it supersedes it."""

    bytes: int
    content_hash: str


def log_id_of(content_hash: str) -> int:
    """Returns the first 63 bits of a content hash (32 hex digits)."""
    return int(content_hash[:16], 16) >> 1


def content_hash(data: bytes | memoryview, name: str = "") -> str:
    """Returns the hash that identifies a log: xxh3-128 of its decompressed bytes, as hex.

    `name`: the part of the path that belongs to the content (scanning/trackers/named_files.py), empty for most files.
    """
    return xxhash.xxh3_128_hexdigest(_salt(name) + data if name else data)


def _salt(name: str) -> bytes:
    return name.encode("utf-8", "surrogatepass") + b"\0"


def small_content(path: str, size: int) -> bytes | None:
    """Returns the content of a file that probably has this size; None if it is larger than SMALL.

    Raises OSError.
    """
    if size > SMALL:
        return None
    # A file object makes three more system calls. What became a pipe since then must not be waited for.
    file = os.open(path, os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_BINARY", "O_CLOEXEC", "O_NONBLOCK")))
    try:
        content = part = os.read(file, size + 1)
        while part and len(content) != size:
            # The file has grown or shrunk since its size was read.
            if len(content) > SMALL:
                return None
            part = os.read(file, SMALL)
            content += part
    finally:
        os.close(file)
    return content


def goes_on(content: bytes, previous: Previous | None, name: str = "") -> bool:
    """Tells whether a content begins with all of an older one, and is longer."""
    if previous is None or not 0 < previous.bytes < len(content):
        return False
    return content_hash(memoryview(content)[: previous.bytes], name) == previous.content_hash


class Counter:
    """Computes hash, size and lines of a log while it is read, and whether it begins with an older content."""

    def __init__(self, previous: Previous | None, name: str = "") -> None:
        salt = _salt(name) if name else b""
        self._hash = xxhash.xxh3_128(salt)
        self._previous = previous
        self._prefix = xxhash.xxh3_128(salt)
        self.unterminated = False
        self.bytes = 0
        self.lines = 0

    def counted(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        for chunk in chunks:
            self.count(chunk)
            self.lines += chunk.count(b"\n")
            yield chunk

    def count(self, chunk: bytes | memoryview) -> None:
        self._hash.update(chunk)
        if self._previous is not None and self.bytes < self._previous.bytes:
            self._prefix.update(chunk[: self._previous.bytes - self.bytes])
        self.bytes += len(chunk)
        self.unterminated = bytes(chunk[-1:]) != b"\n"

    def digest(self) -> str:
        return self._hash.hexdigest()

    def grew(self) -> bool:
        """Tells whether the log begins with all of the older content, and is longer."""
        old = self._previous
        return old is not None and 0 < old.bytes < self.bytes and self._prefix.hexdigest() == old.content_hash
