"""Walks an archive on disk, and archives within it, member by member, with only a piece of it in memory."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from tarfile import TarError
from typing import BinaryIO, cast

from benchledger.archives.limits import Budget, Limits
from benchledger.archives.magic_bytes import COMPRESSED, GZIP, TAR, ZIP, foreign, kind_of
from benchledger.archives.member import Member, MemberStream, Where
from benchledger.archives.problem import ArchiveError, Damaged, Problem, unreadable
from benchledger.archives.streams import (
    SPOOL_MEMORY,
    Decompressed,
    DiskFile,
    Peekable,
    SeekableSource,
    Source,
    gzip_mtime_ns,
    spool_to,
)
from benchledger.archives.tar import Entry, tar_entries
from benchledger.archives.zip import zip_entries


class Archive:
    """An archive on disk, or in any seekable file. `on_read` is called with the number of bytes read so far."""

    def __init__(
        self, file: BinaryIO, size: int, name: str, mtime_ns: int, limits: Limits,
        on_read: Callable[[int], None] | None = None,
    ) -> None:  # fmt: skip
        self._disk = DiskFile(file, size, on_read)
        self._budget = Budget(limits, lambda: self._disk.bytes_read)
        self._where = Where("", name, None, mtime_ns)

    def damaged(self, problem: Problem) -> Member:
        """Returns a member that says that nothing of the archive can be read."""
        return Member(self._where, None, None, problem, whole=True)

    def members(self) -> Iterator[Member]:
        """Yields every member in order; read each stream before requesting the next member."""
        try:
            head = self._disk.read(512)
            self._disk.seek(0)
            if kind_of(head) == ZIP:
                yield from self._entries(zip_entries(self._disk, self._budget), self._where)
            else:
                yield from self._open(self._disk, self._where, None)
        except ArchiveError as error:
            yield self.damaged(error.problem)
        except Exception as error:  # noqa: BLE001 - hostile bytes cost the rest of this archive, and no other file
            yield self.damaged(unreadable(error))

    def _open(self, source: Source, where: Where, size: int | None, lone: bool = False) -> Iterator[Member]:
        source = Peekable(source)
        head = source.head
        kind = kind_of(head)
        if (name := foreign(head)) is not None:
            problem = Problem("foreign", f"{name}, which is not read", "unpack it, and ingest that")
            yield Member(where, size, None, problem, lone)
        elif kind is None:
            stream = MemberStream(source, lone, self._budget)
            if not stream.is_lost():
                yield Member(where, size, stream, None, lone)
            if stream.kept:
                yield Member(where, None, None, stream.problem, whole=True)
        elif where.depth > self._budget.limits.depth:
            yield Member(where, size, None, self._too_deep(), whole=True)
        elif kind == TAR:
            yield from self._entries(tar_entries(source, self._budget), where)
        elif kind == ZIP:
            yield from self._zip_within(source, where)
        else:
            yield from self._compressed(source, kind, head, where)

    def _compressed(self, source: Source, kind: str, head: bytes, where: Where) -> Iterator[Member]:
        assert kind in COMPRESSED, kind
        mtime_ns = (gzip_mtime_ns(head) if kind == GZIP else 0) or where.mtime_ns
        # Each compression layer counts towards the depth: a file can be crafted that contains itself.
        within = Where(where.chain, where.path, where.inner, mtime_ns, where.depth + 1)
        try:
            yield from self._open(Decompressed(source, kind, self._budget), within, None, lone=True)
        except Damaged as damage:
            # The damage is in the first bytes.
            yield Member(where, None, None, damage.problem, whole=True)

    def _zip_within(self, source: Source, where: Where) -> Iterator[Member]:
        with tempfile.SpooledTemporaryFile(SPOOL_MEMORY) as held:
            cut = spool_to(source, cast("BinaryIO", held))
            held.seek(0)
            for member in self._entries(zip_entries(cast("SeekableSource", held), self._budget), where):
                # A zip without its end has no directory either: one cause, reported once.
                if cut is None or not (member.whole and member.where == where):
                    yield member
        if cut is not None:
            yield Member(where, None, None, cut.problem, whole=True)

    def _entries(self, entries: Iterator[Entry], where: Where) -> Iterator[Member]:
        count = 0
        try:
            for entry in entries:
                count += 1
                yield from self._entry(entry, where)
        except Damaged as damage:
            yield Member(where, None, None, damage.problem, whole=True)
            return
        if not count:
            nothing = Problem("empty", "an archive with no file in it", "nothing is missing")
            yield Member(where, 0, None, nothing, whole=True)

    def _entry(self, entry: Entry, where: Where) -> Iterator[Member]:
        self._budget.spend_file()
        place = where.entry(entry.name, entry.mtime_ns)
        if entry.source is None:
            yield Member(place, entry.size, None, entry.problem)
            return
        try:
            yield from self._open(entry.source, place, entry.size)
        except Damaged as damage:
            # The damage is in the first bytes.
            yield Member(place, entry.size, None, damage.problem)
        except (RecursionError, MemoryError, ValueError, TarError) as error:
            yield Member(place, entry.size, None, unreadable(error))

    def _too_deep(self) -> Problem:
        depth = self._budget.limits.depth
        return Problem(
            "deep",
            f"more than {depth} archives within one another",
            "if it is no bomb, allow more with --archive-depth",
        )
