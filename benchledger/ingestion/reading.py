"""Reads what an ingest found: its plain files, then the archives that turned up among them, member by member."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path

from benchledger.archives.kinds import HEAD, is_archive
from benchledger.ingestion.accounts import Accounts
from benchledger.ingestion.discover import FoundFile
from benchledger.ingestion.outcome import Progress
from benchledger.ingestion.plan import Plan, Work
from benchledger.ingestion.pool import EXPANSION, Pool
from benchledger.ingestion.read import ToRead
from benchledger.ingestion.unit import UNIT_BYTES, UNIT_FILES, units_of
from benchledger.ingestion.unpack import Unpacker

# Only such an archive is looked for before its turn.
LARGE = 1024 * 1024


class Reading:
    """Begins to read at once, in other processes where there are; `into` hands over what was read."""

    def __init__(self, work: Work, plan: Plan, key: bytes, folder: Path, jobs: int, report: Reporter) -> None:
        """`folder`: where records may wait."""
        self._plan, self._report = plan, report
        self._pool = Pool(plan.known, key, folder, jobs)
        units = units_of(work.files, work.to_read)
        # How many bytes are still to be read, as far as it is known.
        self.left = sum(work.sizes)
        if len(units) > 1:
            self._pool.start(self.left, len(units))
        if jobs > 1 and not self._pool.is_started:
            # Best begun now, where there is neither a thread nor an open database.
            self._pool.start(_packed_bytes(work.to_read) * EXPANSION)
        self._plain = self._pool.read(units)

    @property
    def others_read(self) -> bool:
        """Whether other processes have begun to read."""
        return self._pool.is_started

    def into(self, accounts: Accounts, unpacker: Unpacker) -> Iterator[None]:
        """Accounts for all that is read; after each unit the caller may write what has come together."""
        try:
            archives: list[FoundFile] = []
            for unit, batch in self._plain:
                found = accounts.add(unit.files, batch)
                archives += found
                self.left += sum(file.size for file in found) * EXPANSION - unit.bytes
                self._report.files_read(unit.files, found)
                yield
            yield from self._unpacked(archives, accounts, unpacker)
        finally:
            self._pool.close()

    def _unpacked(self, archives: list[FoundFile], accounts: Accounts, unpacker: Unpacker) -> Iterator[None]:
        self._pool.start(sum(file.size for file in archives) * EXPANSION)
        units = [[unpacker.packed(file) for file in unit] for unit in _units_of_archives(archives)]
        ends = deque(archives)
        for part in self._pool.unpack(units, self._report.within):
            unpacker.take_up(part)
            accounts.add(part.files, part.batch)
            ended = [ends.popleft() for _ in range(part.ended)]
            for file in ended:
                self.left -= file.size * EXPANSION
                if file.place not in self._plan.wanted:
                    accounts.archive_read(file)
            self._report.archives_read(ended)
            yield


def _packed_bytes(to_read: list[ToRead]) -> int:
    """How many bytes lie in large archives."""
    return sum(file.size for file in to_read if file.size >= LARGE and is_archive(_head(file)))


def _head(file: ToRead) -> bytes:
    if file.content is not None:
        return file.content[:HEAD]
    try:
        with open(file.place, "rb") as stream:
            return stream.read(HEAD)
    except OSError:
        # It is accounted for when it is read.
        return b""


def _units_of_archives(archives: list[FoundFile]) -> Iterator[list[FoundFile]]:
    """Archives in order, small ones together."""
    unit: list[FoundFile] = []
    size = 0
    for archive in archives:
        if unit and (size + archive.size * EXPANSION > UNIT_BYTES or len(unit) == UNIT_FILES):
            yield unit
            unit, size = [], 0
        unit.append(archive)
        size += archive.size * EXPANSION
    if unit:
        yield unit


class Reporter:
    """Tells a terminal how far the reading is, by bytes: of plain files, and of archives as they lie on the disk."""

    def __init__(self, progress: Callable[[Progress], None] | None, sizes: list[int]) -> None:
        self._progress = progress
        self._files, self._total_files = 0, len(sizes)
        self._bytes, self._done, self._total = 0, 0, sum(sizes)
        self._tell(self._bytes)

    def files_read(self, files: list[FoundFile], archives: list[FoundFile]) -> None:
        """Some plain files were read, and some turned out to be archives, which come later."""
        self._files += len(files) - len(archives)
        self._bytes += sum(file.size for file in files) - sum(file.size for file in archives)
        self._tell(self._bytes)

    def within(self, taken: int) -> None:
        """So many bytes of the archives that were not told as read have been taken from the disk."""
        self._tell(self._bytes + taken)

    def archives_read(self, archives: list[FoundFile]) -> None:
        """Some archives were read to their ends."""
        self._files += len(archives)
        self._bytes += sum(file.size for file in archives)
        self._tell(self._bytes)

    def _tell(self, done: int) -> None:
        # What another process is ahead is told before the end of what came before.
        self._done = max(self._done, done)
        if self._progress is not None:
            doing = "reading" if self._files < self._total_files else "loading"
            self._progress(Progress(doing, self._files, self._total_files, self._done, self._total))
