"""Reads zip archives by their directory, which is at the end, or without it by the header before each member."""

from __future__ import annotations

import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import IO

from benchledger.archives.entry_names import ZIP_UTF8, clean_name, name_problem, printable, zip_name
from benchledger.archives.limits import Budget
from benchledger.archives.problem import Damaged, Problem, corrupt, truncated
from benchledger.archives.streams import CHUNK, PIECE, SeekableSource
from benchledger.archives.tar import Entry, is_link, link

_TIMES = 0x5455
# The time of a zip made without times, and of one made before 1980.
_NO_TIME = (1980, 1, 1, 0, 0, 0)
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
_HEADER = struct.Struct("<4s5HIIIHH")
_MEMBER, _DIRECTORY, _DESCRIPTOR = b"PK\x03\x04", b"PK\x01\x02", b"PK\x07\x08"
# Flags of a member.
IS_ENCRYPTED, _SIZES_FOLLOW = 0x1, 0x8
_ZIP64 = 1
_ENCRYPTED = Problem("encrypted", "encrypted", "decrypt it first: unpack it with its password, and ingest that")
_OVERLAPS = Problem(
    "bomb", "its bytes are also those of another member", "nothing is missing if it is a bomb; else repack it"
)
_SPLIT = "that zip is not read: ingest the joined zips as separate files"


def zip_entries(file: SeekableSource, budget: Budget) -> Iterator[Entry]:
    """Yields every entry that is not a folder, in the directory's order.

    Raises Damaged where it cannot read further.
    """
    try:
        archive = zipfile.ZipFile(file)
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OverflowError, struct.error) as error:
        yield from entries_without_directory(file, budget, str(error))
        return
    with archive:
        overlapping = _overlapping(archive.infolist())
        for place, info in enumerate(archive.infolist()):
            # Not is_dir, which fails at an empty name.
            if not info.filename.endswith("/"):
                entry = _entry(archive, info, budget)
                if place in overlapping:
                    entry.source, entry.problem = None, entry.problem or _OVERLAPS
                yield entry
        before = min((info.header_offset for info in archive.infolist()), default=archive.start_dir)
        file.seek(0)
        # A zip that was one of several volumes begins with a mark.
        if before and file.read(min(before, len(_MEMBER))) == _MEMBER:
            raise Damaged(Problem("corrupt", f"another zip of {before:,} bytes is joined before this one", _SPLIT))


def _overlapping(infos: list[zipfile.ZipInfo]) -> set[int]:
    """Returns the places in the directory of the entries whose bytes are also those of an entry before them."""
    overlapping = set[int]()
    end = 0
    for place in sorted(range(len(infos)), key=lambda place: (infos[place].header_offset, place)):
        info = infos[place]
        if info.header_offset < end:
            overlapping.add(place)
        end = max(end, info.header_offset + _HEADER.size + info.compress_size)
    return overlapping


def _entry(archive: zipfile.ZipFile, info: zipfile.ZipInfo, budget: Budget) -> Entry:
    spelled = zip_name(info.filename, info.flag_bits)
    if "/" not in spelled and "\\" in spelled:
        # Some tools write backslashes, against the standard.
        spelled = spelled.replace("\\", "/")
    name = clean_name(spelled)
    entry = Entry(printable(name if name is not None else spelled), _mtime_ns(info), info.file_size, None)
    if is_link(info.external_attr >> 16):
        entry.problem = link("another file")
    elif not name:
        entry.problem = name_problem(spelled)
    elif info.flag_bits & IS_ENCRYPTED:
        entry.problem = _ENCRYPTED
    elif info.compress_type not in _METHODS:
        entry.problem = _unknown_method(info.compress_type)
    elif info.file_size == info.compress_size == info.CRC == 0:
        entry.source = io.BytesIO()
    else:
        entry.source = _Opened(archive, info, budget)
    return entry


def _unknown_method(method: int) -> Problem:
    return Problem(
        "foreign", f"compressed in a way that is not read (zip method {method})", "unpack it, and ingest that"
    )


class _Opened:
    # One member, opened at its first read.
    def __init__(self, archive: zipfile.ZipFile, info: zipfile.ZipInfo, budget: Budget) -> None:
        self._archive, self._info, self._budget = archive, info, budget
        self._file: IO[bytes] | None = None
        self._out = 0

    def read(self, size: int, /) -> bytes:
        parts: list[bytes] = []
        while size > 0 and (part := self._part(min(size, PIECE))):
            parts.append(part)
            size -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _part(self, size: int) -> bytes:
        try:
            if self._file is None:
                self._file = self._archive.open(self._info)
            data = self._file.read(size)
        except (
            zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, RuntimeError, ValueError, struct.error,
        ) as error:  # fmt: skip
            raise corrupt(f"damaged after {self._out:,} of its {self._info.file_size:,} bytes: {error}") from error
        self._out += len(data)
        self._budget.check_ratio(self._out, self._info.compress_size)
        self._budget.spend(len(data))
        return data


def _mtime_ns(info: zipfile.ZipInfo) -> int:
    """Returns its time: UTC if the zip states it, else the clock of the packing machine, taken as UTC."""
    extra = info.extra
    while len(extra) >= 4:
        kind, length = struct.unpack_from("<HH", extra)
        if kind == _TIMES and length >= 5 and extra[4] & 1 and len(extra) >= 9:
            return max(int(struct.unpack_from("<i", extra, 5)[0]), 0) * 1_000_000_000
        extra = extra[4 + length :]
    if info.date_time == _NO_TIME:
        return 0
    try:
        return int(datetime(*info.date_time, tzinfo=UTC).timestamp()) * 1_000_000_000
    except ValueError:
        return 0


def entries_without_directory(file: SeekableSource, budget: Budget, why: str) -> Iterator[Entry]:
    """Yields member after member by their headers, then raises Damaged: a zip without its directory is incomplete."""
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
        self._info = zipfile.ZipInfo("x", _date_time(day, clock))
        self._info.extra = self._extra
        self._end: int | None = None
        if self.packed == self.size == 0xFFFFFFFF:
            self._take_zip64()

    def entry(self) -> Entry:
        decoded = self._name.decode("utf-8" if self.flags & ZIP_UTF8 else "cp437", "replace")
        spelled = zip_name(decoded, self.flags)
        name = clean_name(spelled)
        size = None if self.flags & _SIZES_FOLLOW else self.size
        entry = Entry(name or printable(spelled), _mtime_ns(self._info), size, None)
        if self.flags & IS_ENCRYPTED:
            entry.problem = _ENCRYPTED
        elif not name:
            entry.problem = name_problem(spelled)
        elif self.method not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            entry.problem = _unknown_method(self.method)
        elif self.method == zipfile.ZIP_STORED and size is None:
            entry.problem = Problem("truncated", "its size stood in the part that is missing", "get a whole copy")
        else:
            entry.source = _Data(self._file, self._start, self, self._budget)
        return entry

    def end(self) -> int:
        """Returns the position of the next header; if the header states no sizes, it reads the data to find it."""
        if not self.flags & _SIZES_FOLLOW:
            return int(self._start + self.packed)
        if self.method != zipfile.ZIP_DEFLATED or self.flags & IS_ENCRYPTED:
            raise truncated("the zip ends before its directory, and the size of a member stood in what is missing")
        if self._end is None:
            data = _Data(self._file, self._start, self, self._budget)
            while data.read(CHUNK):
                pass
        assert self._end is not None
        return self._end

    def ended(self, position: int) -> int:
        """Reads the sizes that follow the data; returns the checksum that the data should have."""
        if not self.flags & _SIZES_FOLLOW:
            return int(self.crc)
        self._file.seek(position)
        raw = self._file.read(24)
        marked = raw[:4] == _DESCRIPTOR
        body = raw[4:] if marked else raw
        # The sizes have 4 bytes or 8: another header follows the right ones.
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
        self._inflate = zlib.decompressobj(-15) if member.method == zipfile.ZIP_DEFLATED else None
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
        # Other readers may have moved the file position.
        self._file.seek(self._position)
        data = self._file.read(CHUNK if self._left is None else min(CHUNK, self._left))
        self._position += len(data)
        self._in += len(data)
        if self._left is not None:
            self._left -= len(data)
        return data
