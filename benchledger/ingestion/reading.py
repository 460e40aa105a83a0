"""Reads the files of an ingest: plain files, then the archives among them, member by member; and facts.toml files."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from benchledger.archives.disk_file import open_file
from benchledger.archives.limits import Limits
from benchledger.archives.magic_bytes import HEAD, is_archive
from benchledger.ingestion.accounts import Accounts
from benchledger.ingestion.discover import FACTS_FILE, FoundFile, found_at, is_below, is_lasting
from benchledger.ingestion.facts_file import FactsFiles
from benchledger.ingestion.members import ArchiveToRead, ReadMembers, facts_in
from benchledger.ingestion.plan import ARCHIVE, Plan, Work
from benchledger.ingestion.pool import EXPANSION, Pool
from benchledger.ingestion.units import UNIT_BYTES, UNIT_FILES, ReadFiles, ToRead, in_parts, units_of
from benchledger.store.private_file import PrivateFile, SeenFile

# A smaller archive does not decide whether other processes are started.
LARGE = 1024 * 1024


@dataclass(frozen=True)
class Progress:
    doing: str
    files_done: int
    files_total: int
    bytes_done: int
    bytes_total: int


@dataclass
class Part:
    """Files that were read together, in order, and what was found in them. `ended`: the archives that end with them."""

    files: list[FoundFile]
    found: ReadFiles
    ended: list[FoundFile] = field(default_factory=list)


class Reading:
    """Reads the files of a plan; other processes begin at once. The ledger plays no part in it."""

    def __init__(self, work: Work, pool: Pool, report: Reporter, *, jobs: int = 1) -> None:
        self._pool, self._report = pool, report
        units = units_of(work.files, work.to_read)
        # Bytes still to be read, as far as known.
        self.bytes_left = sum(work.sizes)
        if len(units) > 1:
            self._pool.start(self.bytes_left, len(units))
        if jobs > 1 and not self._pool.is_started:
            # Now, while there is neither a thread nor an open database: forking is quick and safe.
            self._pool.start(_packed_bytes(work.to_read) * EXPANSION)
        self._plain = self._pool.read(units)

    @property
    def in_other_processes(self) -> bool:
        return self._pool.is_started

    def parts(self, sources: ArchiveSources, meanwhile: Callable[[], None] = lambda: None) -> Iterator[Part]:
        """What was read, in order: plain files, then the archives among them, member by member.

        `meanwhile` is called again and again while a long log is read.
        """
        self._pool.meanwhile = meanwhile
        archives: list[FoundFile] = []
        for unit, found in self._plain:
            packed = [file for file, was in zip(unit.files, found.files, strict=True) if was.status == ARCHIVE]
            archives += packed
            self.bytes_left += sum(file.size for file in packed) * EXPANSION - unit.bytes
            self._report.files_read(unit.files, packed)
            yield Part(unit.files, found)
        self._pool.start(sum(file.size for file in archives) * EXPANSION)
        parts = in_parts(archives, lambda archive: archive.size * EXPANSION, UNIT_BYTES, UNIT_FILES)
        units = [[sources.to_read(file) for file in part] for part in parts]
        not_ended = deque(archives)
        for members in self._pool.read_archives(units, self._report.within):
            sources.add_members(members)
            ended = [not_ended.popleft() for _ in range(members.ended)]
            self.bytes_left -= sum(file.size for file in ended) * EXPANSION
            self._report.files_read(ended)
            yield Part(members.files, members.base, ended)

    def close(self) -> None:
        """Ends the other processes, whether they have read all or not."""
        self._pool.close()


def _packed_bytes(to_read: list[ToRead]) -> int:
    return sum(file.size for file in to_read if file.size >= LARGE and is_archive(_head(file)))


def _head(file: ToRead) -> bytes:
    try:
        with (file.open or partial(open_file, file.place))() as stream:
            return stream.read(HEAD)
    except OSError:
        # It is accounted for when it is read.
        return b""


class Reporter:
    """Reports progress by bytes: those of plain files, and of archives as they lie on the disk."""

    def __init__(self, progress: Callable[[Progress], None], sizes: list[int]) -> None:
        self._progress = progress
        self._files, self._total_files = 0, len(sizes)
        self._bytes, self._done, self._total = 0, 0, sum(sizes)
        self._show(self._bytes)

    def files_read(self, files: list[FoundFile], archives: Iterable[FoundFile] = ()) -> None:
        """Some files were read completely; the archives among them come later."""
        rest = [-file.size for file in archives]
        self._files += len(files) - len(rest)
        self._bytes += sum(file.size for file in files) + sum(rest)
        self._show(self._bytes)

    def within(self, taken: int) -> None:
        self._show(self._bytes + taken)

    def _show(self, done: int) -> None:
        # Another process may be ahead: what it has read is reported before the end of earlier files.
        self._done = max(self._done, done)
        doing = "reading" if self._files < self._total_files else "loading"
        self._progress(Progress(doing, self._files, self._total_files, self._done, self._total))


class ArchiveSources:
    """Prepares the archives of one ingest to be read, and takes up the facts.toml files that come out of them.

    `accounted`: the folders of all files that were accounted for so far, which others fill; None where all is read
    before anything is accounted for.
    """

    def __init__(self, plan: Plan, facts: FactsFiles, limits: Limits, accounted: set[str] | None = None) -> None:
        self._plan, self._facts, self._limits = plan, facts, limits
        self._accounted = accounted
        # Folders whose facts.toml came when something below had been accounted for already.
        self.late: list[str] = []
        # The texts of all facts.toml files in archives, by place.
        self.facts: dict[str, bytes] = {}

    def to_read(self, archive: FoundFile) -> ArchiveToRead:
        """An archive, and what has to be known to read it."""
        previous = {seen.place: self._plan.previous(seen.place) for seen in self._plan.members_of(archive.place)}
        known = {place: content for place, content in previous.items() if content is not None}
        is_remembered = is_lasting(archive.place) or archive.place in self._plan.seen
        if self._accounted is not None and (not is_remembered or archive.place in self._plan.wanted):
            # Standard input: its members are not remembered, and cannot be written again when a facts.toml comes late.
            # Of an archive of which some members are read again, facts.toml would not be read.
            self.load_facts(archive, None)
        return ArchiveToRead(archive, self._limits, self._plan.wanted.get(archive.place), known)

    def add_members(self, members: ReadMembers) -> None:
        """Reads the facts.toml files that were among these members, before these are accounted for."""
        for number, file in enumerate(members.files):
            if (text := members.facts.get(file.place)) is not None:
                members.files[number] = self._declare(file, text)

    def load_facts(self, archive: FoundFile, places: set[str] | None) -> None:
        """Reads the facts.toml files of an archive (at these places, or all), and nothing else of it."""
        for file, text in facts_in(ArchiveToRead(archive, self._limits)):
            if text is not None and (places is None or file.place in places):
                self._declare(file, text)

    def _declare(self, file: FoundFile, text: bytes) -> FoundFile:
        declared = self._facts.add(file, text)
        self.facts[file.place] = text
        folder = os.path.dirname(file.place)
        if any(is_below(earlier, folder) for earlier in self._accounted or ()):
            self.late.append(folder)
        return declared


def account_for_facts(work: Work, plan: Plan, facts: FactsFiles, accounts: Accounts, db: Path) -> list[SeenFile]:
    """Accounts for every facts.toml; returns the files read earlier whose facts have changed."""
    changed: list[str] = []
    for file in work.facts:
        folder = os.path.dirname(file.place)
        facts.bodies(folder)
        problem, is_new = facts.problems.get(file.place), plan.facts_changed(file)
        if is_new and problem is None:
            # A file that is refused keeps the facts of its last version.
            changed.append(folder)
        if problem is not None:
            accounts.unreadable(file, problem)
        elif is_new:
            accounts.facts(file)
        else:
            accounts.unchanged(file, None, "facts")
    gone = plan.facts_gone(work.order)
    changed += [os.path.dirname(seen.place) for seen in gone]
    if gone:
        with closing(PrivateFile(db)) as private:
            private.forget(seen.place for seen in gone)
    just_read = {seen.place for seen in accounts.pending.seen}
    below = {seen.place: seen for folder in changed for seen in plan.seen_below(folder) if seen.log_id is not None}
    return [seen for place, seen in sorted(below.items()) if place not in just_read]


def late_members(folders: list[str], db: Path) -> list[SeenFile]:
    """The members of archives that were accounted for before a facts.toml came that speaks of them."""
    if not folders:
        return []
    with closing(PrivateFile(db)) as private:
        seen = private.seen().values()
    return [
        file
        for file in seen
        if file.log_id is not None and any(is_below(os.path.dirname(file.place), folder) for folder in folders)
    ]


def unfitting_matches(work: Work, plan: Plan, facts: FactsFiles, accounts: Accounts, given: list[str]) -> list[str]:
    """Each `match` of a facts.toml that fits no log below it, new or known, as file:line and the problem.

    Only for folders of which every file was seen: those at or below the `given` ones, and those of archives.
    """
    folders = {os.path.dirname(archive) for archive in accounts.members}
    found: list[str] = []
    for file in work.facts:
        folder = os.path.dirname(file.place)
        if folder not in folders and not any(is_below(folder, top) for top in given):
            continue
        if facts.unfitting(folder):
            # Unchanged files were not looked up so far.
            for seen in plan.seen_below(folder):
                if seen.log_id is not None:
                    facts.declared(plan.found_again(seen).named_place)
        shown = accounts.outcomes[file.place].path
        found += [f"{shown}:{problem}" for problem in facts.unfitting(folder)]
    return found


def load_archived_facts(files: list[SeenFile], plan: Plan, sources: ArchiveSources) -> None:
    """Reads again the facts.toml files in the archives of these files, and nothing else there."""
    for archive in sorted({seen.within for seen in files if seen.within}):
        places = {seen.place for seen in plan.members_of(archive) if os.path.basename(seen.place) == FACTS_FILE}
        if places:
            sources.load_facts(found_at(archive, os.path.basename(archive)), places)
