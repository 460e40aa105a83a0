"""Forward-only streams: peeking, counting, and decompression."""

from __future__ import annotations

import bz2
import lzma
from collections.abc import Callable
from typing import BinaryIO, Protocol, cast

from benchledger.archives.limits import FILE_BYTES, Budget
from benchledger.archives.magic_bytes import BZIP2, GZIP, HEAD, MAGIC, XZ, ZSTD
from benchledger.archives.problem import Damaged, Problem, corrupt, trailing, truncated

CHUNK = 256 * 1024
# Memory for data that must be buffered as a whole: a zip within a stream (its directory is at the end), and a member
# that is rewritten (its new size is unknown). Larger data goes to an unnamed temporary file.
SPOOL_MEMORY = 64 * 2**20
# Decompressed bytes per step, so that limits act before memory is full.
PIECE = 1024 * 1024
# A decoder returns what follows its frame, so a new one is given little first: else each of 10^6 empty frames copies
# all that follows it. The amount then doubles.
_FIRST_PART = 512
# xz allocates the dictionary size of the file: 64 MiB for `xz -9`, up to 4 GiB in a crafted one.
_XZ_MEMORY = 512 * 2**20
_SMALLER = "decompress it with its own tool, or repack it with a smaller dictionary (xz -9, zstd without --long)"


class Source(Protocol):
    """Bytes to read once, in order; `read` returns fewer than requested only at the end."""

    def read(self, size: int, /) -> bytes: ...


class SeekableSource(Protocol):
    """Bytes that can be read at any position, as a zip needs."""

    def read(self, size: int = -1, /) -> bytes: ...
    def seek(self, offset: int, whence: int = 0, /) -> int: ...
    def tell(self) -> int: ...


class Peekable:
    """A source whose first bytes can be inspected before they are read."""

    def __init__(self, source: Source, head: bytes | None = None) -> None:
        self._source = source
        self._head = source.read(HEAD) if head is None else head

    @property
    def head(self) -> bytes:
        """Returns what was read already, the first 512 bytes as a rule (fewer if it is shorter)."""
        return self._head

    def read(self, size: int, /) -> bytes:
        if not self._head:
            return self._source.read(size)
        head, self._head = self._head[:size], self._head[size:]
        return head + self._source.read(size - len(head)) if len(head) < size else head


class DiskFile:
    """The archive on disk (or standard input): seekable, and counts the bytes read from it."""

    def __init__(self, file: BinaryIO, size: int, on_read: Callable[[int], None] | None = None) -> None:
        self._file = file
        self._on_read = on_read
        self.size = size
        self._read = 0

    @property
    def bytes_read(self) -> int:
        """Returns the number of bytes read so far, at most its size."""
        return min(self._read, self.size)

    def read(self, size: int = -1, /) -> bytes:
        """Returns the next bytes. An error of the disk counts as damage of the archive."""
        try:
            data = self._file.read(size)
        except OSError as error:
            raise corrupt(f"cannot be read: {error.strerror or error}") from error
        if data is None:
            raise corrupt("cannot be read: no bytes are available yet")
        self._read += len(data)
        if self._on_read is not None:
            self._on_read(self.bytes_read)
        return data

    def seek(self, offset: int, whence: int = 0, /) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def seekable(self) -> bool:
        """Returns True, which zipfile requires."""
        return True


class _Decoder(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /, max_length: int = -1) -> bytes: ...


class Decompressed:
    """Decompresses a source: all its members or frames, one after the other.

    Damage is raised only after everything before it has been read.
    """

    def __init__(self, source: Source, kind: str, budget: Budget) -> None:
        self._source, self._kind, self._budget = source, kind, budget
        self._decoder: _Decoder | None = _decoder(kind)
        self._errors = _errors(kind)
        self._ready: list[Damaged] = []
        self._in = self._out = self._begins = 0
        # What was read and not yet given to the decoder begins at `_at`.
        self._ahead, self._at, self._part_size = b"", 0, CHUNK

    def read(self, size: int, /) -> bytes:
        parts: list[bytes] = []
        while size > 0 and not self._ready:
            try:
                part = self._part(min(size, PIECE))
            except Damaged as damage:
                self._ready.append(damage)
                break
            if not part:
                break
            parts.append(part)
            size -= len(part)
        if not parts and self._ready:
            raise self._ready[0]
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _part(self, size: int) -> bytes:
        while self._decoder is not None:
            decoder = self._decoder
            data = b""
            if decoder.eof:
                if self._out - self._begins < FILE_BYTES:
                    # A small or empty frame costs as much time as a small file.
                    self._budget.spend_file()
                self._begins = self._out
                self._at -= len(decoder.unused_data)
                self._decoder = self._next()
                continue
            if decoder.needs_input:
                data = self._take()
                if not data:
                    raise truncated(f"the {self._kind} data ends in its middle, after {self._out:,} bytes came out")
            try:
                part = decoder.decompress(data, size)
            except self._errors as error:
                if _needs_memory(error):
                    raise Damaged(
                        Problem("bomb", f"the {self._kind} data needs too much memory: {error}", _SMALLER)
                    ) from error
                raise corrupt(f"the {self._kind} data is damaged after {self._out:,} bytes: {error}") from error
            if part:
                self._out += len(part)
                self._budget.check_ratio(self._out, self._in)
                self._budget.spend(len(part))
                return part
        return b""

    def _take(self) -> bytes:
        if self._at == len(self._ahead):
            self._refill()
        data = self._ahead[self._at : self._at + self._part_size]
        self._at += len(data)
        self._part_size = min(self._part_size * 2, CHUNK)
        return data

    def _refill(self) -> bool:
        # Keeps what is left, since a head can begin in one chunk and end in the next.
        data = self._source.read(CHUNK)
        self._in += len(data)
        self._ahead, self._at = self._ahead[self._at :] + data, 0
        return bool(data)

    def _next(self) -> _Decoder | None:
        # Members and frames may follow each other, with zeros as padding between and after them.
        while True:
            if self._at < len(self._ahead) and not self._ahead[self._at]:
                self._at = len(self._ahead) - len(self._ahead[self._at :].lstrip(b"\x00"))
            if self._at < len(self._ahead):
                break
            if not self._refill():
                return None
        if len(self._ahead) - self._at < HEAD:
            self._refill()
        if not self._ahead.startswith(MAGIC[self._kind], self._at):
            raise trailing(f"after its end, {self._out:,} bytes out, follow bytes that are no {self._kind}")
        self._part_size = _FIRST_PART
        return _decoder(self._kind)


def spool_to(source: Source, held: BinaryIO) -> Damaged | None:
    """Copies a source into `held`, as far as possible; returns the damage that cut it off, or None.

    Raises LimitReached.
    """
    try:
        while piece := source.read(CHUNK):
            held.write(piece)
    except Damaged as cut:
        return cut
    return None


def gzip_mtime_ns(head: bytes) -> int:
    """Returns the time in a gzip header, 0 if it has none."""
    return int.from_bytes(head[4:8], "little") * 1_000_000_000


def _decoder(kind: str) -> _Decoder:
    if kind == GZIP:
        from isal import igzip_lib

        decoder: _Decoder = igzip_lib.IgzipDecompressor(flag=igzip_lib.DECOMP_GZIP)
        return decoder
    if kind == ZSTD:
        from backports import zstd

        return zstd.ZstdDecompressor()
    if kind == XZ:
        return lzma.LZMADecompressor(lzma.FORMAT_XZ, _XZ_MEMORY)
    assert kind == BZIP2, kind
    return bz2.BZ2Decompressor()


def _needs_memory(error: Exception) -> bool:
    # Neither library has a class for it that it raises here.
    return "emory" in str(error)


def _errors(kind: str) -> tuple[type[Exception], ...]:
    known = (OSError, ValueError, EOFError, lzma.LZMAError)
    if kind == GZIP:
        from isal import igzip_lib

        # The type stub declares the class as an instance.
        return (*known, cast("type[Exception]", igzip_lib.IsalError))
    if kind == ZSTD:
        from backports import zstd

        return (*known, zstd.ZstdError)
    return known


class ObservedStream:
    """A stream that lets something else be done before each part of it is read."""

    def __init__(self, stream: Source, meanwhile: Callable[[], None]) -> None:
        self._stream, self._meanwhile = stream, meanwhile

    def read(self, size: int, /) -> bytes:
        self._meanwhile()
        return self._stream.read(size)

    def seek(self, offset: int, whence: int = 0, /) -> int:
        at: int = self._stream.seek(offset, whence)  # type: ignore[attr-defined]  # where it can
        return at
