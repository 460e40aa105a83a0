"""Archives as units of work: small members as texts that any process can read, large ones as streams read here."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import BinaryIO

from benchledger.archives.kinds import without_suffixes
from benchledger.archives.limits import Limits
from benchledger.archives.member import CHAIN, Member
from benchledger.archives.problem import Problem
from benchledger.archives.read_ahead import ReadAhead
from benchledger.archives.streams import Source
from benchledger.ingestion.discover import AGAIN, FoundFile
from benchledger.ingestion.facts_file import FactsFiles
from benchledger.ingestion.plan import Plan, is_below
from benchledger.ingestion.pool import UNIT_BYTES, Unit
from benchledger.ingestion.read import Batch, ToRead, WasRead

# A larger member is not sent to another process, but read where it streams.
SMALL = 16 * 1024 * 1024
_FACTS_BYTES = 1024 * 1024
_LIMITS = ("bomb", "deep")


class Unpacker:
    """Walks the archives of one ingest.

    `content` is that of standard input, `told` the folders of all that was told so far, which others fill; `on_read`
    hears how many bytes of the present archive have been read.
    """

    def __init__(
        self, plan: Plan, facts: FactsFiles, limits: Limits, content: bytes | None, told: set[str],
        on_read: Callable[[int], None],
    ) -> None:  # fmt: skip
        self._plan, self._facts, self._limits = plan, facts, limits
        self._content = content
        self._told = told
        self._on_read = on_read
        # Folders whose facts.toml came when something below had been told already.
        self.late: list[str] = []

    def units(self, archive: FoundFile) -> Iterator[Unit]:
        """What an archive holds, in order; a unit that is a stream is to be read before the next is asked for."""
        wanted = self._plan.wanted.get(archive.place)
        places: set[str] = set()
        unit = Unit()
        if archive.place not in self._plan.seen and not os.path.isabs(archive.place):
            # What is told of standard input is not remembered, and cannot be told again.
            self.load_facts(archive, None)
        with ExitStack() as opened:
            for number, member in enumerate(self._members(archive, opened, self._on_read)):
                file = _found(archive, member)
                if file.place in places:
                    # Two members of one name.
                    file = replace(file, place=f"{file.place}{AGAIN}{number}")
                places.add(file.place)
                if wanted is not None and file.place not in wanted:
                    continue
                if member.stream is None:
                    unit.files.append(file)
                elif file.is_facts:
                    unit.files.append(self._declare(file, member))
                else:
                    first = member.stream.read(SMALL + 1) if (member.size or 0) <= SMALL else b""
                    if len(first) > SMALL or (member.size or 0) > SMALL:
                        if unit.files:
                            yield unit
                        yield self._large(archive, number, file, member, first, opened)
                        unit = Unit()
                    else:
                        self._small(unit, file, member, first)
                if unit.full:
                    yield unit
                    unit = Unit()
            if unit.files:
                yield unit

    def load_facts(self, archive: FoundFile, places: set[str] | None) -> None:
        """Reads the facts.toml files of an archive (at these places, or all), and nothing else of it."""
        with ExitStack() as opened:
            for member in self._members(archive, opened, lambda _: None):
                file = _found(archive, member)
                if file.is_facts and (places is None or file.place in places) and member.stream is not None:
                    self._declare(file, member)

    def _members(self, archive: FoundFile, opened: ExitStack, on_read: Callable[[int], None]) -> Iterator[Member]:
        # What walks archives is not imported where there is none.
        from benchledger.archives.walk import Archive

        file: BinaryIO
        if os.path.isabs(archive.place):
            try:
                file = opened.enter_context(open(archive.place, "rb"))  # noqa: SIM115 - the stack closes it
            except OSError as error:
                problem = Problem("corrupt", f"cannot be read: {error.strerror}", "see to its rights")
                walked = Archive(io.BytesIO(), 0, archive.shown, 0, self._limits)
                yield walked.damaged(problem)
                return
        else:
            file = io.BytesIO(self._content or b"")
        name = archive.shown.rpartition("/")[2]
        yield from Archive(file, archive.size, name, archive.mtime_ns, self._limits, on_read).members()

    def _declare(self, file: FoundFile, member: Member) -> FoundFile:
        assert member.stream is not None
        text = member.stream.read(_FACTS_BYTES + 1)
        if member.stream.problem is not None:
            return replace(file, problem=str(member.stream.problem))
        if len(text) > _FACTS_BYTES:
            return replace(file, problem=f"longer than {_FACTS_BYTES:,} bytes: no facts.toml is")
        self._facts.provide(file.place, text)
        folder = os.path.dirname(file.place)
        if any(is_below(told, folder) for told in self._told):
            self.late.append(folder)
        return replace(file, problem=self._facts.problems.get(file.place))

    def _small(self, unit: Unit, file: FoundFile, member: Member, content: bytes) -> None:
        assert member.stream is not None
        problem = member.stream.problem
        if problem is not None and not member.stream.kept:
            unit.files.append(_refused(file, problem))
            return
        file = replace(file, size=len(content))
        unit.files.append(file)
        unit.to_read.append(ToRead(file.place, len(content), self._plan.previous(file.place), content))
        unit.bytes += len(content)

    def _large(
        self, archive: FoundFile, number: int, file: FoundFile, member: Member, first: bytes, opened: ExitStack
    ) -> Unit:
        assert member.stream is not None
        streams = [member.stream]
        ahead = ReadAhead(member.stream)

        def reopen() -> Source:
            # The rare log that tells its format after its first 8 MB: the archive is walked to it once more.
            for place, again in enumerate(self._members(archive, opened, lambda _: None)):
                if place == number and again.stream is not None:
                    streams.append(again.stream)
                    return again.stream
            return io.BytesIO()

        def settle(batch: Batch) -> Batch:
            ahead.close()
            for stream in streams:
                if stream.problem is not None and not stream.kept:
                    limited = stream.problem.kind in _LIMITS
                    return Batch([WasRead(problem=str(stream.problem), limited=limited)])
            return batch

        stream = _Continued(first, ahead)
        reading = ToRead(file.place, UNIT_BYTES, self._plan.previous(file.place), None, stream, reopen)
        return Unit([file], [reading], settle, ahead.close)


class _Continued:
    # A stream of which the beginning was read already.
    def __init__(self, first: bytes, rest: Source) -> None:
        self._first, self._rest = first, rest

    def read(self, size: int, /) -> bytes:
        if not self._first:
            return self._rest.read(size)
        data, self._first = self._first[:size], self._first[size:]
        return data + self._rest.read(size - len(data)) if len(data) < size else data


def _refused(file: FoundFile, problem: Problem) -> FoundFile:
    return replace(file, problem=str(problem), limited=problem.kind in _LIMITS, is_empty=problem.kind == "empty")


def _found(archive: FoundFile, member: Member) -> FoundFile:
    """A member as a file that was found: its place leads through the archive."""
    where = member.where
    chain = f"{CHAIN}{where.chain}" if where.chain else ""
    # What a compressed file holds, and what is missing of an archive, have places of their own beside that file's.
    place = f"{archive.place}{chain}{CHAIN if member.whole else '!' if member.lone else ''}"
    if where.chain:
        shown, root = member.path, without_suffixes((where.inner or "").rpartition("/")[2]) or archive.root_name
    elif member.lone:
        shown, root = _beside(archive.shown, member.path), archive.root_name
    else:
        shown, root = archive.shown, archive.root_name
    file = FoundFile(
        place, shown, root, member.size or 0, where.mtime_ns, None, archive.place,
        archive.shown if where.chain or member.lone else None, where.chain or None,
    )  # fmt: skip
    if member.problem is None:
        return file
    return _refused(file, member.problem)


def _beside(path: str, name: str) -> str:
    return f"{path.rpartition('/')[0]}/{name}".lstrip("/") if "/" in path else name
