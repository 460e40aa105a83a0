"""Forward-only streams: what all of them can do, looking ahead, counting, and the reading of compressed bytes."""

from __future__ import annotations

import bz2
import lzma
from collections.abc import Callable
from typing import BinaryIO, Protocol, cast

from benchledger.archives.kinds import BZIP2, GZIP, HEAD, MAGIC, XZ, ZSTD
from benchledger.archives.limits import Budget
from benchledger.archives.problem import Damaged, LimitReached, corrupt, truncated

CHUNK = 256 * 1024
# A zip in a stream is held while it is read, since its directory stands at its end, and a member that is written again
# while its new size is unknown: so much in memory, more in a temporary file without a name.
HELD_IN_MEMORY = 64 * 2**20
# What comes out at once, so that limits hold before memory is full.
PIECE = 1024 * 1024
# xz asks for its dictionary's size: 64 MiB for `xz -9`, and a made file can ask for 4 GiB.
_XZ_MEMORY = 512 * 2**20


class Source(Protocol):
    """Bytes to read once, in order: `read` gives as many as are asked for, fewer only at the end."""

    def read(self, size: int, /) -> bytes: ...


class SeekableSource(Protocol):
    """Bytes that can be read anywhere, which a zip needs."""

    def read(self, size: int = -1, /) -> bytes: ...
    def seek(self, offset: int, whence: int = 0, /) -> int: ...
    def tell(self) -> int: ...


class Peekable:
    """A source whose first bytes can be looked at before they are read."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._head = source.read(HEAD)

    @property
    def head(self) -> bytes:
        """The first 512 bytes, or all there are, while nothing was read."""
        return self._head

    def read(self, size: int, /) -> bytes:
        """The next bytes."""
        if not self._head:
            return self._source.read(size)
        head, self._head = self._head[:size], self._head[size:]
        return head + self._source.read(size - len(head)) if len(head) < size else head


class DiskFile:
    """The archive on disk (or standard input): seekable, and counts what was taken from it."""

    def __init__(self, file: BinaryIO, size: int, on_read: Callable[[int], None] | None = None) -> None:
        self._file = file
        self._on_read = on_read
        self.size = size
        self._read = 0

    @property
    def taken(self) -> int:
        """Bytes read so far, at most its size."""
        return min(self._read, self.size)

    def read(self, size: int = -1, /) -> bytes:
        """The next bytes; what the disk cannot give is damage of the archive."""
        try:
            data = self._file.read(size)
        except OSError as error:
            raise corrupt(f"cannot be read: {error.strerror or error}") from error
        self._read += len(data)
        if self._on_read is not None:
            self._on_read(self.taken)
        return data

    def seek(self, offset: int, whence: int = 0, /) -> int:
        """As a file's."""
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        """As a file's."""
        return self._file.tell()

    def seekable(self) -> bool:
        """zipfile asks."""
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
    """What comes out of a compressed source: all its members or frames, one after another.

    Damage is raised only when all that came out before it has been read.
    """

    def __init__(self, source: Source, kind: str, budget: Budget) -> None:
        self._source, self._kind, self._budget = source, kind, budget
        self._decoder: _Decoder | None = _decoder(kind)
        self._errors = _errors(kind)
        self._ready: list[Damaged] = []
        self._in = self._out = 0

    def read(self, size: int, /) -> bytes:
        """The next bytes. Raises Damaged."""
        parts: list[bytes] = []
        while size > 0 and not self._ready:
            try:
                part = self._part(min(size, PIECE))
            except LimitReached:
                raise
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
                self._decoder, data = self._next(decoder.unused_data)
                if self._decoder is None:
                    return b""
                decoder = self._decoder
            elif decoder.needs_input:
                data = self._take()
                if not data:
                    raise truncated(f"the {self._kind} data ends in its middle, after {self._out:,} bytes came out")
            try:
                part = decoder.decompress(data, size)
            except self._errors as error:
                raise corrupt(f"the {self._kind} data is damaged after {self._out:,} bytes: {error}") from error
            if part:
                self._out += len(part)
                self._budget.check_ratio(self._out, self._in)
                self._budget.spend(len(part))
                return part
        return b""

    def _take(self) -> bytes:
        data = self._source.read(CHUNK)
        self._in += len(data)
        return data

    def _next(self, rest: bytes) -> tuple[_Decoder | None, bytes]:
        # Members and frames may follow one another, with zeros as padding between and after them.
        while not (rest := rest.lstrip(b"\x00")):
            rest = self._take()
            if not rest:
                return None, b""
        if len(rest) < HEAD:
            rest += self._take()
        if not rest.startswith(MAGIC[self._kind]):
            raise corrupt(f"after its end, {self._out:,} bytes out, follow bytes that are no {self._kind}")
        return _decoder(self._kind), rest


def held_whole(source: Source, held: BinaryIO) -> Damaged | None:
    """Writes a source to where it is held, as far as it goes; returns what cut it off. Raises LimitReached."""
    try:
        while piece := source.read(CHUNK):
            held.write(piece)
    except LimitReached:
        raise
    except Damaged as cut:
        return cut
    return None


def gzip_mtime_ns(head: bytes) -> int:
    """The time that a gzip header tells, 0 if it tells none."""
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


def _errors(kind: str) -> tuple[type[Exception], ...]:
    known = (OSError, ValueError, EOFError, lzma.LZMAError)
    if kind == GZIP:
        from isal import igzip_lib

        # Its stub takes the class for an instance.
        return (*known, cast("type[Exception]", igzip_lib.IsalError))
    if kind == ZSTD:
        from backports import zstd

        return (*known, zstd.ZstdError)
    return known
