"""Redacts compressed logs and archives: same kind, same order and times of members, redacted names and contents."""

from __future__ import annotations

import bz2
import copy
import gzip
import lzma
import shutil
import struct
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable
from datetime import UTC, datetime
from typing import IO, BinaryIO, cast

from benchledger.archives.entry_names import zip_name
from benchledger.archives.limits import Budget
from benchledger.archives.magic_bytes import BZIP2, COMPRESSED, GZIP, TAR, XZ, ZIP, foreign, kind_of
from benchledger.archives.member import CHAIN
from benchledger.archives.problem import ArchiveError, Damaged, LimitReached
from benchledger.archives.streams import (
    CHUNK,
    SPOOL_MEMORY,
    Decompressed,
    Peekable,
    SeekableSource,
    Source,
    gzip_mtime_ns,
    spool_to,
)
from benchledger.archives.zip import IS_ENCRYPTED, entries_without_directory
from benchledger.publishing.log_text import NotRedactable, redact_text
from benchledger.redaction.redactor import Redactor

_BROKEN = (
    tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, ValueError, NotImplementedError,
    RuntimeError, OverflowError,
)  # fmt: skip


class AllMembersLeftOut(NotRedactable):
    """Raised for an archive if every member was left out."""


class Rewriter:
    """Redacts one file and all archives within it.

    `left_out` is called with each member that cannot be redacted, and the reason; `on_secret` with the member (empty:
    the file itself) and the number of each line with a secret. `archive` is true for an archive, false for a log or a
    compressed log. `written` and `missing` count the members that are logs; `names` has the paths of all written ones.
    """

    def __init__(
        self,
        redactor: Redactor,
        budget: Budget,
        left_out: Callable[[str, str], None],
        on_secret: Callable[[str, int], None],
    ) -> None:
        self._redactor, self._budget, self._tell, self._on_secret = redactor, budget, left_out, on_secret
        self._within: list[str] = []
        self.archive = False
        self.written = self.missing = 0
        self.names: list[str] = []

    def rewrite(self, source: Source, sink: BinaryIO, depth: int = 0) -> str | None:
        """Copies a log or an archive, redacted.

        Returns what is missing if the archive is cut, else None. Raises NotRedactable if nothing can be redacted.
        """
        if depth > self._budget.limits.depth:
            raise NotRedactable(f"more than {self._budget.limits.depth} archives within one another")
        try:
            source = Peekable(source)
            kind = kind_of(source.head)
            if (name := foreign(source.head)) is not None:
                raise NotRedactable(f"{name}, which is not read: unpack it first")
            if kind is None:
                member = CHAIN.join(self._within)
                redact_text(source, sink.write, self._redactor, lambda line: self._on_secret(member, line))
            elif kind in COMPRESSED:
                with _compressor(kind, sink, source.head) as inner:
                    return self.rewrite(Decompressed(source, kind, self._budget), cast("BinaryIO", inner), depth + 1)
            else:
                self.archive = True
                written, missing = self.written, self.missing
                problem = {TAR: self._tar, ZIP: self._zip}[kind](source, sink, depth)
                if self.written == written and (problem or self.missing > missing):
                    raise AllMembersLeftOut(
                        problem or f"nothing of it could be written ({self.missing - missing} members)"
                    )
                return problem
        except (ArchiveError, *_BROKEN) as error:
            raise NotRedactable(str(error)) from error
        return None

    def _tar(self, source: Source, sink: BinaryIO, depth: int) -> str | None:
        with (
            tarfile.open(fileobj=cast("BinaryIO", source), mode="r|", bufsize=CHUNK, errors="surrogateescape") as old,
            tarfile.open(fileobj=sink, mode="w|", bufsize=CHUNK, errors="surrogateescape", format=old.format) as new,
        ):
            for info in old:
                old.members = []  # type: ignore[attr-defined]  # the stub lacks it
                fresh = tarfile.TarInfo(self._redactor.path(info.name))
                fresh.mtime, fresh.mode, fresh.type = info.mtime, info.mode, info.type
                fresh.linkname = self._redactor.path(info.linkname)
                if not info.isreg():
                    # Folders and links have only a name. Owners and the additions of tools to a header are not copied.
                    if info.isdir() or info.issym() or info.islnk():
                        new.addfile(fresh)
                    else:
                        self._left_out(fresh.name, "neither a file nor a folder nor a link")
                    continue
                fresh.type = tarfile.REGTYPE
                member = old.extractfile(info)
                assert member is not None
                with tempfile.SpooledTemporaryFile(SPOOL_MEMORY) as held:
                    if self._member(cast("Source", member), cast("BinaryIO", held), fresh.name, depth):
                        fresh.size = held.tell()
                        held.seek(0)
                        new.addfile(fresh, cast("BinaryIO", held))
        return None

    def _zip(self, source: Source, sink: BinaryIO, depth: int) -> str | None:
        with tempfile.SpooledTemporaryFile(SPOOL_MEMORY) as held:
            cut = spool_to(source, cast("BinaryIO", held))
            if cut is not None:
                return self._zip_without_directory(cast("SeekableSource", held), sink, depth, str(cut))
            try:
                old = zipfile.ZipFile(cast("BinaryIO", held))
            except (zipfile.BadZipFile, NotImplementedError, ValueError, OverflowError, struct.error) as error:
                return self._zip_without_directory(cast("SeekableSource", held), sink, depth, str(error))
            with old, zipfile.ZipFile(sink, "w") as new:
                for info in old.infolist():
                    name = zip_name(info.filename, info.flag_bits)
                    fresh = zipfile.ZipInfo(self._redactor.path(name), info.date_time)
                    fresh.compress_type, fresh.external_attr = info.compress_type, info.external_attr
                    if info.flag_bits & IS_ENCRYPTED:
                        self._left_out(fresh.filename, "encrypted: decrypt it first")
                    elif not fresh.filename:
                        self._left_out(fresh.filename, "a member without a name: repack it under one")
                    elif info.is_dir():
                        new.writestr(fresh, b"")
                    else:
                        with old.open(info) as member:
                            counted = cast("Source", _Counted(member, info.compress_size, self._budget))
                            self._zip_member(new, fresh, counted, depth)
        return None

    def _zip_without_directory(self, file: SeekableSource, sink: BinaryIO, depth: int, why: str) -> str | None:
        # A zip without its directory is read as far as possible, and written as a whole one.
        with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as new:
            try:
                for entry in entries_without_directory(file, self._budget, why):
                    fresh = zipfile.ZipInfo(self._redactor.path(entry.name), _date_time(entry.mtime_ns))
                    fresh.compress_type = zipfile.ZIP_DEFLATED
                    if not fresh.filename:
                        self._left_out(fresh.filename, "a member without a name: repack it under one")
                    elif fresh.is_dir():
                        new.writestr(fresh, b"")
                    elif entry.source is None:
                        self._left_out(fresh.filename, str(entry.problem))
                    else:
                        self._zip_member(new, fresh, entry.source, depth)
            except Damaged as damage:
                return str(damage)
        return None

    def _zip_member(self, new: zipfile.ZipFile, fresh: zipfile.ZipInfo, source: Source, depth: int) -> None:
        with tempfile.SpooledTemporaryFile(SPOOL_MEMORY) as content:
            if self._member(source, cast("BinaryIO", content), fresh.filename, depth):
                fresh.file_size = content.seek(0, 2)
                content.seek(0)
                with new.open(copy.copy(fresh), "w") as member:
                    shutil.copyfileobj(content, member, CHUNK)

    def _member(self, source: Source, sink: BinaryIO, name: str, depth: int) -> bool:
        self._budget.spend_file()
        written, before = self.written, self.written + self.missing
        self._within.append(name)
        try:
            problem = self.rewrite(source, sink, depth + 1)
        except AllMembersLeftOut as reason:
            # Its members are already counted and reported. This reports that the archive around them is missing too.
            self._tell(name, str(reason))
            return False
        except NotRedactable as reason:
            if isinstance(reason.__cause__, LimitReached):
                raise
            self.missing += self.written - written
            self.written = written
            self._left_out(name, str(reason))
            return False
        finally:
            self._within.pop()
        if problem is not None:
            self._tell(name, problem)
        if self.written + self.missing == before:
            self.written += 1
        self.names.append(CHAIN.join([*self._within, name]))
        return True

    def _left_out(self, name: str, why: str) -> None:
        self.missing += 1
        self._tell(name, why)


class _Counted:
    # Checks the decompressed size of a zip member against the limits.
    def __init__(self, member: IO[bytes], packed: int, budget: Budget) -> None:
        self._member, self._packed, self._budget, self._out = member, packed, budget, 0

    def read(self, size: int, /) -> bytes:
        data = self._member.read(size)
        self._out += len(data)
        self._budget.check_ratio(self._out, self._packed)
        self._budget.spend(len(data))
        return data


def _date_time(mtime_ns: int) -> tuple[int, int, int, int, int, int]:
    when = datetime.fromtimestamp(max(mtime_ns // 1_000_000_000, 315_532_800), UTC)  # a zip begins in 1980
    return when.year, when.month, when.day, when.hour, when.minute, when.second


def _compressor(kind: str, sink: BinaryIO, head: bytes) -> IO[bytes]:
    if kind == GZIP:
        # A gzip header may hold the name and time of the original file: the name is dropped, the time kept.
        return cast("IO[bytes]", gzip.GzipFile("", "wb", fileobj=sink, mtime=gzip_mtime_ns(head) // 1_000_000_000))
    if kind == BZIP2:
        return bz2.BZ2File(sink, "wb")
    if kind == XZ:
        return lzma.LZMAFile(sink, "wb")
    from backports import zstd

    return cast("IO[bytes]", zstd.ZstdFile(sink, mode="wb"))
