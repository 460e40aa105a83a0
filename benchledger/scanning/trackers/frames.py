"""Cuts files of binary records into these: TFRecord (TensorBoard) and LevelDB's log (Weights & Biases).

Both check each record by a checksum. What is whole is yielded, and each damaged stretch once with its problem. A file
can come in any parts, and no more of it is held than one record.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

_POLYNOMIAL = 0x82F63B78
_MASK = 0xA282EAD8
CUT_RECORD = "cut record: the file ends within it"
BAD_CHECKSUM = "bad checksum: the bytes of the record are not those that were written"
BAD_RECORD = "bad record: its beginning is damaged; what follows is read from the next whole record"
LARGE_RECORD = "too large: a record of more than 64 MiB is not read"
RECORD_LIMIT = 64 * 1024 * 1024
# A larger record is checked only if it has values: graphs and images are large, and Python is slow at this checksum.
CHECKED = 65_536
# A file of zeros has a possible beginning at each byte.
_MOST_TRIES = 200_000
_SHOWN = 100
_BLOCK = 32_768
WANDB_MAGIC = b":W&B"
_WANDB_HEAD = 7
_WHOLE, _FIRST, _MIDDLE, _LAST = 1, 2, 3, 4


def _entry(byte: int) -> int:
    for _ in range(8):
        byte = byte >> 1 ^ (_POLYNOMIAL if byte & 1 else 0)
    return byte


_TABLE = tuple(_entry(byte) for byte in range(256))


def crc32c(data: bytes | memoryview) -> int:
    table, crc = _TABLE, 0xFFFFFFFF
    for byte in data:
        crc = table[(crc ^ byte) & 0xFF] ^ crc >> 8
    return crc ^ 0xFFFFFFFF


def masked(data: bytes | memoryview) -> int:
    """Returns the checksum as a TFRecord file stores it."""
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + _MASK) & 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class Frame:
    """One record: its number from 1, its place in the file, and its bytes, or a `problem` with its first bytes."""

    number: int
    offset: int
    data: memoryview
    problem: str | None = None
    checksum: int | None = None

    def is_damaged(self) -> bool:
        """Tells of a large record, which is not checked before, whether its checksum is wrong."""
        return self.checksum is not None and masked(self.data) != self.checksum


class TfRecords:
    """The records of a TFRecord file: length, checksum of the length, data, checksum of the data."""

    def __init__(self) -> None:
        self._buffer = b""
        self._base = self._number = self._tries = self._passing = 0
        self._is_lost = False

    def feed(self, part: bytes) -> Iterator[Frame]:
        passed = min(self._passing, len(part))
        self._passing -= passed
        if not self._buffer:
            self._base += passed
        self._buffer += part[passed:]
        buffer, at = self._buffer, 0
        while (at := self._found(buffer, at)) + 12 <= len(buffer):
            size, checksum = struct.unpack_from("<QI", buffer, at)
            if masked(buffer[at : at + 8]) != checksum:
                yield self._problem(buffer, at, BAD_RECORD)
                self._is_lost, at = True, at + 1
                continue
            if size > RECORD_LIMIT:
                yield self._problem(buffer, at, LARGE_RECORD)
                self._passing = max(0, at + size + 16 - len(buffer))
                at = min(at + size + 16, len(buffer))
                continue
            if at + size + 16 > len(buffer):
                break
            data = memoryview(buffer)[at + 12 : at + 12 + size]
            (checksum,) = struct.unpack_from("<I", buffer, at + 12 + size)
            self._number += 1
            problem = BAD_CHECKSUM if size <= CHECKED and masked(data) != checksum else None
            yield Frame(self._number, self._base + at, data, problem, checksum if size > CHECKED else None)
            at += size + 16
        self._buffer, self._base = buffer[at:], self._base + min(at, len(buffer))

    def end(self) -> Iterator[Frame]:
        if self._buffer and not self._is_lost:
            yield self._problem(self._buffer, 0, CUT_RECORD)

    def _problem(self, buffer: bytes, at: int, problem: str) -> Frame:
        self._number += 1
        return Frame(self._number, self._base + at, memoryview(buffer)[at : at + _SHOWN], problem)

    def _found(self, buffer: bytes, at: int) -> int:
        # Behind a damaged beginning the next whole one: a length of at most four bytes, with its checksum.
        while self._is_lost:
            zeros = buffer.find(b"\0\0\0\0", at + 4)
            if zeros < 0 or self._tries > _MOST_TRIES:
                return max(at, len(buffer) - 11)
            if zeros + 8 > len(buffer):
                return zeros - 4
            at, self._tries = zeros - 4, self._tries + 1
            if struct.unpack_from("<I", buffer, at + 8)[0] == masked(buffer[at : at + 8]):
                self._is_lost = False
            else:
                at += 1
        return at


class LevelDbLog:
    """The records of a LevelDB log behind the head of a `.wandb` file: parts in blocks of 32 KiB, with CRC-32s."""

    def __init__(self) -> None:
        self._buffer = b""
        self._base = self._number = self._begun = 0
        self._parts: list[bytes] | None = None
        self._size = 0
        self._is_lost = False

    def feed(self, part: bytes) -> Iterator[Frame]:
        self._buffer += part
        while len(self._buffer) >= _BLOCK:
            yield from self._block(self._buffer[:_BLOCK])
            self._buffer, self._base = self._buffer[_BLOCK:], self._base + _BLOCK

    def end(self) -> Iterator[Frame]:
        yield from self._block(self._buffer, is_last=True)
        if self._parts is not None:
            yield self._problem(self._begun, self._parts[0] if self._parts else b"", CUT_RECORD)

    def _block(self, block: bytes, *, is_last: bool = False) -> Iterator[Frame]:
        at = 0 if self._base else _WANDB_HEAD
        while at + 7 <= len(block):
            checksum, size, kind = struct.unpack_from("<IHB", block, at)
            if not (checksum or size or kind):
                # Room that the writer has left.
                return
            end = at + 7 + size
            if is_last and end > len(block) and end <= _BLOCK:
                break
            if end > len(block) or not _WHOLE <= kind <= _LAST:
                yield from self._broken(block, at, BAD_RECORD)
                return
            data = block[at + 7 : end]
            if zlib.crc32(data, zlib.crc32(block[at + 6 : at + 7])) != checksum:
                yield from self._broken(block, at, BAD_CHECKSUM)
            else:
                yield from self._part(kind, data, self._base + at)
            at = end
        if is_last and block[at:].strip(b"\0"):
            yield from self._broken(block, at, CUT_RECORD)

    def _part(self, kind: int, data: bytes, offset: int) -> Iterator[Frame]:
        if kind in (_WHOLE, _FIRST):
            if self._parts is not None:
                yield self._problem(self._begun, data, BAD_RECORD)
            self._parts, self._size, self._begun, self._is_lost = [], 0, offset, False
        elif self._parts is None:
            # The beginning of this record was damaged, which is told.
            if not self._is_lost:
                self._is_lost = True
                yield self._problem(offset, data, BAD_RECORD)
            return
        assert self._parts is not None
        self._size += len(data)
        if self._size > RECORD_LIMIT:
            yield self._problem(self._begun, data, LARGE_RECORD)
            self._parts, self._is_lost = None, True
            return
        self._parts.append(data)
        if kind in (_WHOLE, _LAST):
            whole, self._parts = b"".join(self._parts), None
            self._number += 1
            yield Frame(self._number, self._begun, memoryview(whole))

    def _broken(self, block: bytes, at: int, problem: str) -> Iterator[Frame]:
        self._parts, self._is_lost = None, True
        yield self._problem(self._base + at, block[at : at + _SHOWN], problem)

    def _problem(self, offset: int, data: bytes, problem: str) -> Frame:
        self._number += 1
        return Frame(self._number, offset, memoryview(data)[:_SHOWN], problem)
