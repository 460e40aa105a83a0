"""Zip archives: by their directory, which stands at the end; without it, by what stands before each member."""

from __future__ import annotations

import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import IO

from benchledger.archives.limits import Budget
from benchledger.archives.names import CLIMBS, clean_name, printable, zip_name
from benchledger.archives.problem import Damaged, Problem, corrupt
from benchledger.archives.streams import PIECE, SeekableSource
from benchledger.archives.tar import Entry, is_link, link
from benchledger.archives.zip_rest import IS_ENCRYPTED, zip_rest

_TIMES = 0x5455
# A zip made without times says this; so does one made before 1980.
_NO_TIME = (1980, 1, 1, 0, 0, 0)
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
ENCRYPTED = Problem("encrypted", "encrypted", "decrypt it first: unpack it with its password, and ingest that")


def zip_entries(file: SeekableSource, budget: Budget) -> Iterator[Entry]:
    """Every entry that is no folder, in the directory's order. Raises Damaged where it cannot be read on."""
    try:
        archive = zipfile.ZipFile(file)
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OverflowError, struct.error) as error:
        yield from zip_rest(file, budget, str(error))
        return
    with archive:
        for info in archive.infolist():
            if not info.is_dir():
                yield _entry(archive, info, budget)


def _entry(archive: zipfile.ZipFile, info: zipfile.ZipInfo, budget: Budget) -> Entry:
    spelled = zip_name(info.filename, info.flag_bits)
    if "/" not in spelled and "\\" in spelled:
        # Written by a tool that does not keep to the standard.
        spelled = spelled.replace("\\", "/")
    name = clean_name(spelled)
    entry = Entry(printable(name if name is not None else spelled), zip_mtime_ns(info), info.file_size, None)
    if is_link(info.external_attr >> 16):
        entry.problem = link("another file")
    elif not name:
        entry.problem = CLIMBS
    elif info.flag_bits & IS_ENCRYPTED:
        entry.problem = ENCRYPTED
    elif info.compress_type not in _METHODS:
        entry.problem = unknown_method(info.compress_type)
    else:
        entry.source = _Opened(archive, info, budget)
    return entry


def unknown_method(method: int) -> Problem:
    """A way of compression that is not read."""
    return Problem(
        "foreign", f"compressed in a way that is not read (zip method {method})", "unpack it, and ingest that"
    )


class _Opened:
    # One member, opened when it is read first.
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
        except Damaged:
            raise
        except (
            zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, RuntimeError, ValueError, struct.error,
        ) as error:  # fmt: skip
            raise corrupt(f"damaged after {self._out:,} of its {self._info.file_size:,} bytes: {error}") from error
        self._out += len(data)
        self._budget.check_ratio(self._out, self._info.compress_size)
        self._budget.spend(len(data))
        return data


def zip_mtime_ns(info: zipfile.ZipInfo) -> int:
    """Its time: UTC where the zip says so, else the clock of the machine that packed it, taken as if it were UTC."""
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
