"""Reads the members of archives: small ones together, large ones as streams."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from functools import partial

from benchledger.archives.disk_file import open_file
from benchledger.archives.limits import Limits
from benchledger.archives.member import CHAIN, Member
from benchledger.archives.problem import Problem
from benchledger.archives.read_ahead import ReadAhead
from benchledger.archives.streams import Peekable, Source
from benchledger.ingestion.discover import AGAIN, FoundFile, kept_number
from benchledger.ingestion.facts_file import MOST_BYTES
from benchledger.ingestion.units import UNIT_BYTES, ReadFiles, ToRead, Unit, WasRead
from benchledger.scanning.content import Previous

# A larger member is read as a stream.
SMALL = 16 * 1024 * 1024
_LIMITS = ("bomb", "deep")


@dataclass(frozen=True)
class ArchiveToRead:
    """An archive to read. `wanted`: the places of the members to read, None for all, without those in `places_read`;
    `previous`: their earlier contents by place.
    """

    archive: FoundFile
    limits: Limits
    wanted: set[str] | None = None
    previous: dict[str, Previous] = field(default_factory=dict)
    places_read: frozenset[str] = frozenset()

    def without(self, places: set[str]) -> ArchiveToRead:
        return replace(self, places_read=self.places_read | places)


@dataclass
class ReadMembers:
    """Members that were read together, in order, and what was found in them.

    `files` include those with a problem, and facts.toml files, whose texts are in `facts` by place. `to_read`: the
    files that another process is to read. `ended`: the number of archives that end with these.
    """

    files: list[FoundFile]
    facts: dict[str, bytes]
    base: ReadFiles
    to_read: list[ToRead] = field(default_factory=list)
    ended: int = 0


def read_members(
    archives: list[ArchiveToRead],
    on_read: Callable[[int], None],
    read: Callable[[list[ToRead]], ReadFiles],
    is_free: Callable[[], bool] = lambda: False,
    tell: Callable[[FoundFile], None] | None = None,
) -> Iterator[ReadMembers]:
    """Reads the members of some archives, in order.

    `on_read` is called with the number of bytes read so far of the archives that have not ended. `read` reads files
    here; where `is_free()`, another process is to read them. With `tell`, which is called with each member before it is
    read, each is yielded alone.
    """
    return _MemberReader(on_read, is_free, read, tell).read(archives)


def unread_archive(packed: ArchiveToRead, problem: str) -> ReadMembers:
    place = packed.archive.place
    file = replace(packed.archive, place=f"{place}{CHAIN}", within=place, problem=problem)
    return ReadMembers([file], {}, ReadFiles(), ended=1)


def facts_in(packed: ArchiveToRead) -> Iterator[tuple[FoundFile, bytes | None]]:
    """The facts.toml files of an archive with their texts, None where one cannot be read. Nothing else is read."""
    with ExitStack() as opened:
        for member in _walked(packed, opened, lambda _: None):
            file = _found(packed.archive, member)
            if file.is_facts and member.stream is not None:
                yield _facts(file, member)


class _MemberReader:
    def __init__(
        self,
        on_read: Callable[[int], None],
        is_free: Callable[[], bool],
        read: Callable[[list[ToRead]], ReadFiles],
        tell: Callable[[FoundFile], None] | None,
    ) -> None:
        self._on_read, self._is_free, self._read, self._tell = on_read, is_free, read, tell
        # Small members that are to be read together, and the other members between them.
        self._unit = Unit()
        self._facts: dict[str, bytes] = {}
        self._ended = self._ended_bytes = 0

    def read(self, archives: list[ArchiveToRead]) -> Iterator[ReadMembers]:
        for packed in archives:
            yield from self._members(packed)
            self._ended += 1
            self._ended_bytes += packed.archive.size
        yield self._finished_part()

    def _members(self, packed: ArchiveToRead) -> Iterator[ReadMembers]:
        archive, places = packed.archive, set[str]()
        with ExitStack() as opened:
            walked = _walked(packed, opened, lambda bytes_read: self._on_read(self._ended_bytes + bytes_read))
            for number, member in enumerate(walked):
                file = _found(archive, member)
                if file.place in places:
                    # Two members of one name.
                    file = replace(file, place=f"{file.place}{AGAIN}{number}")
                places.add(file.place)
                if file.place in packed.places_read or (packed.wanted is not None and file.place not in packed.wanted):
                    continue
                if self._tell is not None:
                    self._tell(file)
                if member.stream is None:
                    self._unit.files.append(file)
                elif file.is_facts:
                    file, text = _facts(file, member)
                    self._unit.files.append(file)
                    if text is not None:
                        self._facts[file.place] = text
                else:
                    first = member.stream.read(SMALL + 1) if (member.size or 0) <= SMALL else b""
                    if len(first) > SMALL or (member.size or 0) > SMALL:
                        if self._unit.files:
                            yield self._finished_part()
                        base = self._large(packed, number, file, member, first, opened)
                        yield ReadMembers([file], {}, base)
                    else:
                        self._small(file, member, first, packed.previous.get(file.place))
                if self._unit.full or (self._tell is not None and self._unit.files):
                    yield self._finished_part()

    def _small(self, file: FoundFile, member: Member, content: bytes, previous: Previous | None) -> None:
        assert member.stream is not None
        problem = member.stream.problem
        if problem is not None and not member.stream.kept:
            self._unit.files.append(_refused(file, problem))
        else:
            file = file if file.size == len(content) else replace(file, size=len(content))
            self._unit.add(file, ToRead(file.place, len(content), previous, content))

    def _finished_part(self) -> ReadMembers:
        unit = self._unit
        members = ReadMembers(unit.files, self._facts, ReadFiles(), unit.to_read, self._ended)
        if unit.to_read and not self._is_free():
            members.base, members.to_read = self._read(unit.to_read), []
        self._unit, self._facts = Unit(), {}
        self._ended = self._ended_bytes = 0
        return members

    def _large(
        self, packed: ArchiveToRead, number: int, file: FoundFile, member: Member, first: bytes, opened: ExitStack
    ) -> ReadFiles:
        assert member.stream is not None
        streams = [member.stream]

        def reopen() -> Source:
            # Rare: a log whose format shows after its first 8 MB. The archive is read up to it once more.
            for place, again in enumerate(_walked(packed, opened, lambda _: None)):
                if place == number and again.stream is not None:
                    streams.append(again.stream)
                    return again.stream
            return io.BytesIO()

        with closing(ReadAhead(member.stream)) as ahead:
            stream = Peekable(ahead, first)
            base = self._read([ToRead(file.place, UNIT_BYTES, packed.previous.get(file.place), None, stream, reopen)])
        for stream_read in streams:
            if stream_read.problem is not None and not stream_read.kept:
                limited = stream_read.problem.kind in _LIMITS
                return ReadFiles([WasRead(problem=str(stream_read.problem), limited=limited)])
        return base


def _facts(file: FoundFile, member: Member) -> tuple[FoundFile, bytes | None]:
    assert member.stream is not None
    text = member.stream.read(MOST_BYTES + 1)
    if member.stream.problem is not None:
        return replace(file, problem=str(member.stream.problem)), None
    if len(text) > MOST_BYTES:
        return replace(file, problem=f"longer than {MOST_BYTES:,} bytes: no facts.toml is"), None
    return file, text


def _walked(packed: ArchiveToRead, opened: ExitStack, on_read: Callable[[int], None]) -> Iterator[Member]:
    # Imported only where there is an archive.
    from benchledger.archives.walk import Archive

    archive = packed.archive
    opens = archive.open or partial(open_file, archive.place)
    try:
        file = opened.enter_context(opens())
    except OSError as error:
        problem = Problem("corrupt", f"cannot be read: {error.strerror}", "see to its rights")
        yield Archive(io.BytesIO(), 0, archive.shown, 0, packed.limits).damaged(problem)
        return
    name = archive.shown.rpartition("/")[2]
    yield from Archive(file, archive.size, name, archive.mtime_ns, packed.limits, on_read).members()


def _refused(file: FoundFile, problem: Problem) -> FoundFile:
    return replace(file, problem=str(problem), limited=problem.kind in _LIMITS, is_empty=problem.kind == "empty")


def _found(archive: FoundFile, member: Member) -> FoundFile:
    """A member as a found file; its place leads through the archive."""
    where = member.where
    chain = f"{CHAIN}{where.chain}" if where.chain else ""
    # The content of a compressed file, and the missing rest of an archive, have places of their own.
    place = f"{archive.place}{chain}{CHAIN if member.whole else '!' if member.lone else ''}"
    if where.chain:
        shown = member.path
    elif member.lone:
        shown = f"{archive.shown.rpartition('/')[0]}/{member.path}".lstrip("/") if "/" in archive.shown else member.path
    else:
        shown = archive.shown
    file = FoundFile(
        place, shown, archive.top, kept_number(member.size or 0), kept_number(where.mtime_ns), None, archive.place,
        archive.shown if where.chain or member.lone else None, where.chain or None,
    )  # fmt: skip
    if member.problem is None:
        return file
    return _refused(file, member.problem)
