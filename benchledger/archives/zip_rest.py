"""What can be read of a zip whose directory is missing: member after member, by the header before each."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipInfo

from benchledger.archives.limits import Budget
from benchledger.archives.names import CLIMBS, ZIP_UTF8, clean_name, zip_name
from benchledger.archives.problem import Problem, corrupt, truncated
from benchledger.archives.streams import CHUNK, PIECE, SeekableSource
from benchledger.archives.tar import Entry

_HEADER = struct.Struct("<4s5HIIIHH")
_MEMBER, _DIRECTORY, _DESCRIPTOR = b"PK\x03\x04", b"PK\x01\x02", b"PK\x07\x08"
# Flags of a member.
IS_ENCRYPTED, _SIZES_FOLLOW = 0x1, 0x8
_ZIP64 = 1


def zip_rest(file: SeekableSource, budget: Budget, why: str) -> Iterator[Entry]:
    """Every member up to the damage, then raises Damaged: a zip without its directory is never whole."""
    position = 0
    while True:
        file.seek(position)
        raw = file.read(_HEADER.size)
        if raw[:4] != _MEMBER or len(raw) < _HEADER.size:
            break
        member = _Member(file, raw, position, budget)
        yield member.entry()
        position = member.end()
    if raw and raw[:4] not in (_MEMBER, _DIRECTORY) and _MEMBER[: len(raw)] != raw:
        raise corrupt(f"the zip has no directory that can be read ({why}), and is damaged at byte {position:,}")
    raise truncated(f"the zip ends before its directory ({why})")


class _Member:
    def __init__(self, file: SeekableSource, raw: bytes, position: int, budget: Budget) -> None:
        (_, _, self.flags, self.method, clock, day, self.crc, self.packed, self.size, name, extra) = _HEADER.unpack(raw)
        self._file, self._budget = file, budget
        self._name = file.read(name)
        self._extra = file.read(extra)
        self._start = position + _HEADER.size + name + extra
        self._info = ZipInfo("x", _date_time(day, clock))
        self._info.extra = self._extra
        self._end: int | None = None
        if self.packed == self.size == 0xFFFFFFFF:
            self._take_zip64()

    def entry(self) -> Entry:
        from benchledger.archives.zip import ENCRYPTED, unknown_method, zip_mtime_ns

        decoded = self._name.decode("utf-8" if self.flags & ZIP_UTF8 else "cp437", "replace")
        spelled = zip_name(decoded, self.flags)
        name = clean_name(spelled)
        size = None if self.flags & _SIZES_FOLLOW else self.size
        entry = Entry(name or spelled, zip_mtime_ns(self._info), size, None)
        if self.flags & IS_ENCRYPTED:
            entry.problem = ENCRYPTED
        elif not name:
            entry.problem = CLIMBS
        elif self.method not in (ZIP_STORED, ZIP_DEFLATED):
            entry.problem = unknown_method(self.method)
        elif self.method == ZIP_STORED and size is None:
            entry.problem = Problem("truncated", "its size stood in the part that is missing", "get a whole copy")
        else:
            entry.source = _Data(self._file, self._start, self, self._budget)
        return entry

    def end(self) -> int:
        """Where the next header stands; where sizes are not told before, the data has to be read for it."""
        if not self.flags & _SIZES_FOLLOW:
            return int(self._start + self.packed)
        if self.method != ZIP_DEFLATED or self.flags & IS_ENCRYPTED:
            raise truncated("the zip ends before its directory, and the size of a member stood in what is missing")
        if self._end is None:
            data = _Data(self._file, self._start, self, self._budget)
            while data.read(CHUNK):
                pass
        assert self._end is not None
        return self._end

    def ended(self, position: int) -> int:
        """Reads what follows the data, whose end is told; returns the checksum that the data should have."""
        if not self.flags & _SIZES_FOLLOW:
            return int(self.crc)
        self._file.seek(position)
        raw = self._file.read(24)
        marked = raw[:4] == _DESCRIPTOR
        body = raw[4:] if marked else raw
        # Sizes of 4 bytes or of 8: after the right ones stands another header.
        short = body[12:16][:2] == b"PK" or len(body) < 20
        self._end = position + (4 if marked else 0) + (12 if short else 20)
        if len(body) < 4:
            raise truncated("the zip ends within a member's sizes")
        return int.from_bytes(body[:4], "little")

    def _take_zip64(self) -> None:
        extra = self._extra
        while len(extra) >= 4:
            kind, length = struct.unpack_from("<HH", extra)
            if kind == _ZIP64 and length >= 16 and len(extra) >= 20:
                self.size, self.packed = struct.unpack_from("<QQ", extra, 4)
            extra = extra[4 + length :]


def _date_time(day: int, clock: int) -> tuple[int, int, int, int, int, int]:
    return (
        (day >> 9) + 1980, day >> 5 & 0xF, day & 0x1F, clock >> 11, clock >> 5 & 0x3F, (clock & 0x1F) * 2
    )  # fmt: skip


class _Data:
    def __init__(self, file: SeekableSource, start: int, member: _Member, budget: Budget) -> None:
        self._file, self._position, self._member, self._budget = file, start, member, budget
        self._inflate = zlib.decompressobj(-15) if member.method == ZIP_DEFLATED else None
        self._left = None if member.flags & _SIZES_FOLLOW else member.packed
        self._crc = self._out = self._in = 0
        self._waiting = b""
        self._over = False

    def read(self, size: int, /) -> bytes:
        parts: list[bytes] = []
        while size > 0 and not self._over:
            part = self._part(min(size, PIECE))
            self._crc = zlib.crc32(part, self._crc)
            self._out += len(part)
            self._budget.check_ratio(self._out, max(self._in, 1))
            self._budget.spend(len(part))
            size -= len(part)
            parts.append(part)
        return b"".join(parts)

    def _part(self, size: int) -> bytes:
        data = self._waiting or self._take()
        self._waiting = b""
        if self._inflate is None:
            part, self._waiting = data[:size], data[size:]
            if not self._waiting and self._left == 0:
                self._finish(self._position, part)
            elif not part:
                raise truncated(f"cut off: {self._out:,} of its {self._member.size:,} bytes are there")
            return part
        try:
            part = self._inflate.decompress(data, size)
        except zlib.error as error:
            raise corrupt(f"damaged after {self._out:,} bytes: {error}") from error
        self._waiting = self._inflate.unconsumed_tail
        if self._inflate.eof:
            self._finish(self._position - len(self._inflate.unused_data), part)
        elif not data and not part:
            raise truncated(f"cut off after {self._out:,} bytes")
        return part

    def _finish(self, position: int, last: bytes) -> None:
        self._over = True
        if zlib.crc32(last, self._crc) != self._member.ended(position):
            raise corrupt(f"its checksum does not fit its {self._out + len(last):,} bytes")

    def _take(self) -> bytes:
        # Others may have moved the file since.
        self._file.seek(self._position)
        data = self._file.read(CHUNK if self._left is None else min(CHUNK, self._left))
        self._position += len(data)
        self._in += len(data)
        if self._left is not None:
            self._left -= len(data)
        return data
