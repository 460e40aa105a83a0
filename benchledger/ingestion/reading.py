"""Reads what an ingest found: its plain files, then the archives that turned up among them, member by member."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from benchledger.ingestion.accounts import Accounts
from benchledger.ingestion.discover import FoundFile
from benchledger.ingestion.outcome import Progress
from benchledger.ingestion.plan import Plan, Work
from benchledger.ingestion.pool import EXPANSION, Pool, units_of
from benchledger.ingestion.unpack import Unpacker


class Reading:
    """Begins to read at once, in other processes where there are; `into` hands over what was read."""

    def __init__(self, work: Work, plan: Plan, key: bytes, folder: Path, jobs: int, report: Reporter) -> None:
        """`folder`: where records may wait."""
        self._plan, self._report = plan, report
        self._pool = Pool(plan.known, key, folder, jobs)
        units = units_of(work.files, work.to_read)
        # How many bytes are still to be read, as far as it is known.
        self.left = sum(work.sizes)
        self._plain = self._pool.read(units, self.left, len(units))

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
            expected = sum(file.size for file in archives) * EXPANSION
            for file in archives:
                for unit, batch in self._pool.read(unpacker.units(file), expected):
                    accounts.add(unit.files, batch)
                    yield
                self.left -= file.size * EXPANSION
                if file.place not in self._plan.wanted:
                    accounts.archive_read(file)
                self._report.archive_read(file.size)
                yield
        finally:
            self._pool.close()


class Reporter:
    """Tells a terminal how far the reading is, by bytes: of plain files, and of archives as they lie on the disk."""

    def __init__(self, progress: Callable[[Progress], None] | None, sizes: list[int]) -> None:
        self._progress = progress
        self._files, self._total_files = 0, len(sizes)
        self._bytes, self._total = 0, sum(sizes)
        self._tell(self._bytes)

    def files_read(self, files: list[FoundFile], archives: list[FoundFile]) -> None:
        """Some plain files were read, and some turned out to be archives, which come later."""
        self._files += len(files) - len(archives)
        self._bytes += sum(file.size for file in files) - sum(file.size for file in archives)
        self._tell(self._bytes)

    def within(self, taken: int) -> None:
        """So many bytes of the present archive have been taken from the disk."""
        self._tell(self._bytes + taken)

    def archive_read(self, size: int) -> None:
        """An archive was read to its end."""
        self._files += 1
        self._bytes += size
        self._tell(self._bytes)

    def _tell(self, done: int) -> None:
        if self._progress is not None:
            doing = "reading" if self._files < self._total_files else "loading"
            self._progress(Progress(doing, self._files, self._total_files, done, self._total))
