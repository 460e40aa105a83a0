"""Accounts for every file of an ingest: one outcome each, and the batch of rows that is to be written."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from benchledger.archives.member import CHAIN
from benchledger.ingestion.base_tables import without
from benchledger.ingestion.discover import FoundFile, folder_of, is_lasting
from benchledger.ingestion.outcomes import DOCUMENT, Documents, FileOutcome, KnownLog, copy_of
from benchledger.ingestion.plan import ARCHIVE, AS_LOG, LIMITED, Plan, Work
from benchledger.ingestion.sightings import Sighting, SightingMaker
from benchledger.ingestion.transfer import SpilledRecords
from benchledger.ingestion.units import ReadFiles, WasRead
from benchledger.redaction.redactor import Redactor
from benchledger.scanning.layout import Layout
from benchledger.store.log_contents import KeptLog
from benchledger.store.private_file import SeenFile

if TYPE_CHECKING:
    import pyarrow as pa
# Records are checked in tables of so many rows: to check fewer at a time takes longer.
ROWS_AT_ONCE = 200_000


@dataclass
class Pending:
    """What was read and is not written yet. `grown`: older log, log that replaced it, and their sighting."""

    logs: dict[int, WasRead] = field(default_factory=dict)
    replaced: set[int] = field(default_factory=set)
    tables: dict[str, list[pa.Table]] = field(default_factory=dict)
    spilled: list[SpilledRecords] = field(default_factory=list)
    layouts: dict[int, Layout] = field(default_factory=dict)
    sightings: list[Sighting] = field(default_factory=list)
    seen: list[SeenFile] = field(default_factory=list)
    grown: list[tuple[int, int, int]] = field(default_factory=list)
    touched: set[int] = field(default_factory=set)
    folders: set[str] = field(default_factory=set)
    real_names: dict[str, str] = field(default_factory=dict)
    kept: list[KeptLog] = field(default_factory=list)
    records: int = 0

    def leave_out(self, log_ids: set[int]) -> None:
        """Drops logs that are in the ledger by now: another ingest wrote them."""
        self.tables = {name: [without(table, log_ids) for table in tables] for name, tables in self.tables.items()}
        for records in self.spilled:
            records.leave_out(log_ids)
        for log_id in log_ids:
            del self.logs[log_id]


class Accounts:
    """Collects what was read, unit by unit, in `pending`, until `take` hands it over."""

    def __init__(self, plan: Plan, sightings: SightingMaker, redactor: Redactor, documents: Documents) -> None:
        self._redactor = redactor
        self._plan = plan
        self._sightings = sightings
        self._documents = documents
        self._only_documents = plan.only_documents
        self._read_as_logs: set[str] = set()
        self._handled: dict[str, WasRead] = {}
        self.outcomes: dict[str, FileOutcome] = {}
        # Of each archive on disk: the places of its members, in order. And the folders of all files so far.
        self.members: dict[str, list[str]] = {}
        self.folders: set[str] = set()
        self.damaged: set[str] = set()
        self.bytes_read = 0
        self.pending = Pending()

    def take(self) -> Pending:
        """Hands over the batch and begins a new one. Its records are in few tables."""
        taken, self.pending = self.pending, Pending()
        taken.real_names.update(self._redactor.real_names)
        if taken.tables:
            taken.tables["record"] = _joined(taken.tables["record"])
        return taken

    def add(self, files: list[FoundFile], found: ReadFiles) -> None:
        """Accounts for files that were read together; `found` has those that could be read, in the same order.

        An archive is accounted for by its members.
        """
        twice: set[int] = set()
        read = iter(found.files)
        for file in files:
            if file.within:
                self.members.setdefault(file.within, []).append(file.place)
            if file.problem is not None:
                self.unreadable(file, file.problem)
            elif file.is_facts:
                self.facts(file)
            elif (was := next(read)).status != ARCHIVE:
                self._add_file(file, was, twice)
        for name, table in found.tables.items():
            self.pending.tables.setdefault(name, []).append(without(table, twice))
        for records in found.spilled:
            records.leave_out(twice)
        self.pending.spilled += found.spilled
        self.pending.kept += found.kept
        self.pending.real_names.update(found.real_names)
        self.pending.records += found.tables["record"].num_rows if found.tables else 0
        self.pending.records += sum(records.rows for records in found.spilled)
        self.pending.layouts.update(found.layouts)

    def archive_read(self, file: FoundFile) -> None:
        if is_lasting(file.place) and file.place not in self._plan.wanted:
            seen = SeenFile(file.place, file.size, file.mtime_ns, 0, None, self._plan.names_hash, ARCHIVE)
            self.pending.seen.append(seen)

    def unreadable(self, file: FoundFile, problem: str) -> None:
        status = "empty" if file.is_empty else "unreadable"
        if file.within and file.place.endswith(CHAIN) and not file.is_empty:
            self.damaged.add(file.within)
        self._see(file, None, status, problem)
        self._end(file, FileOutcome(self._shown(file), status, self._redactor.text(problem)))

    def facts(self, file: FoundFile) -> None:
        self._see(file, None, "facts", None)
        self._end(file, FileOutcome(self._shown(file), "facts"))

    def unchanged(self, file: FoundFile, format_name: str | None, kept: str, reason: str | None = None) -> None:
        # A path with as many names as before is the same path.
        before = self._plan.shown_before(file.place)
        shown = before if before and before.count("/") == file.shown.count("/") else self._shown(file)
        self._end(file, FileOutcome(shown, "unchanged", reason, format_name, kept=kept))

    def unchanged_files(self, work: Work) -> set[int]:
        """Accounts for all files and archives that are as they were; returns their logs."""
        logs: set[int] = set()
        for file in work.unchanged:
            logs |= self._as_before(file, self._plan.seen[file.place])
        for archive in work.unchanged_archives:
            logs |= self._unchanged_archive(archive)
        return logs

    def _unchanged_archive(self, archive: FoundFile) -> set[int]:
        logs: set[int] = set()
        for seen in self._plan.members_of(archive.place):
            file = self._plan.found_again(seen)
            self.members.setdefault(archive.place, []).append(file.place)
            if file.place.endswith(CHAIN) and seen.status != "empty":
                self.damaged.add(archive.place)
            logs |= self._as_before(file, seen, self._plan.reason_of(seen))
        return logs

    def _as_before(self, file: FoundFile, seen: SeenFile, reason: str | None = None) -> set[int]:
        log = self._plan.logs.get(seen.log_id) if seen.log_id is not None else None
        self.unchanged(file, log.format if log else None, self._plan.kept_status(seen), reason)
        return set() if seen.log_id is None else {seen.log_id}

    @property
    def archived_files(self) -> int:
        return sum(not place.endswith(CHAIN) for places in self.members.values() for place in places)

    @property
    def nested_archives(self) -> int:
        """The number of archives within archives from which a file was read."""
        found: set[str] = set()
        for archive, places in self.members.items():
            for place in places:
                if not place.endswith(CHAIN):
                    names = place[len(archive) :].removeprefix(CHAIN).split(CHAIN)[:-1]
                    found.update(CHAIN.join([archive, *names[:depth]]) for depth in range(1, len(names) + 1))
        return len(found)

    def in_order(self, files: list[FoundFile]) -> list[FileOutcome]:
        """Every outcome, in the order in which files were found and members follow one another."""
        places = (place for file in files for place in self.members.get(file.place, [file.place]))
        return [self.outcomes[place] for place in places if place in self.outcomes]

    def _add_file(self, file: FoundFile, was: WasRead, twice: set[int]) -> None:
        if was.problem is not None:
            self.unreadable(replace(file, limited=was.limited), was.problem)
            return
        self.bytes_read += was.bytes
        self.pending.touched.add(was.log_id)
        handled = self._handled.get(was.content_hash)
        if handled is not None:
            if was.status != "known":
                # Two processes read the same bytes at the same time.
                twice.add(was.log_id)
            self._copy(file, was, handled)
        elif was.status == "known":
            self._again(file, was)
        elif was.content_hash in self._plan.read_anyway:
            twice.add(was.log_id)
            self._again(file, was)
        else:
            self._handled[was.content_hash] = was
            self.pending.logs[was.log_id] = was
            if was.log_id in self._plan.logs:
                self.pending.replaced.add(was.log_id)
            if (why := self._why_document(file, was, was)) is not None:
                self._document(file, was, was, why)
            else:
                self._first(file, was, was)
        seen = self._plan.seen.get(file.place)
        if seen is None or seen.log_id is None or seen.log_id == was.log_id:
            return
        if was.grew or self._plan.is_input(seen.log_id):
            # Statements of a manifest or sidecar end with the version that made them.
            self.pending.grown.append((seen.log_id, was.log_id, self._sightings.id_of(file.place, seen.log_id)))

    def _again(self, file: FoundFile, was: WasRead) -> None:
        known = self._plan.by_hash[was.content_hash]
        status = self._plan.status_of(self._sightings.id_of(file.place, was.log_id))
        if status in (None, "superseded", DOCUMENT) or self._why_document(file, was, known) is not None:
            self._copy(file, was, known)
        else:
            # The same bytes at the same place: only the time of the file, or the facts of its place, have changed.
            self._see(file, was.log_id, status, None if status == "loaded" else known.evidence, was.listed)
            self.unchanged(file, known.format, known.status)

    def _copy(self, file: FoundFile, was: WasRead, content: WasRead | KnownLog) -> None:
        if (why := self._why_document(file, was, content)) is not None:
            self._document(file, was, content, why)
        elif was.log_id in self._only_documents:
            self._first(file, was, content)
        else:
            shown, reason = copy_of(content.status, content.evidence)
            self._see(file, was.log_id, shown, reason, was.listed)
            self._end(file, FileOutcome(self._shown(file), shown, reason, content.format, kept=content.status))

    def _first(self, file: FoundFile, was: WasRead, content: WasRead | KnownLog) -> None:
        self._only_documents.discard(was.log_id)
        self._see(file, was.log_id, content.status, content.evidence, was.listed)
        outcome = FileOutcome(
            self._shown(file), content.status, content.evidence, content.format, content.pieces, content.records,
            content.ignored, content.rejects, content.unread, None, content.first_rejects,
        )  # fmt: skip
        self._end(file, outcome)

    def _why_document(self, file: FoundFile, was: WasRead, content: WasRead | KnownLog) -> str | None:
        why = self._documents.why(file.shown, was.document, content.format, content.evidence)
        if why is not None and self._plan.reads_as_log(file.place):
            self._read_as_logs.add(file.place)
            return None
        return why

    def _document(self, file: FoundFile, was: WasRead, content: WasRead | KnownLog, why: str) -> None:
        before = self._plan.status_of(self._sightings.id_of(file.place, was.log_id))
        if before is None and was.log_id not in self._plan.logs and content is was:
            self._only_documents.add(was.log_id)
        self._see(file, was.log_id, DOCUMENT, why)
        if before == DOCUMENT and was.status == "known":
            self.unchanged(file, content.format, DOCUMENT)
        else:
            self._end(file, FileOutcome(self._shown(file), DOCUMENT, why, content.format))

    def _end(self, file: FoundFile, outcome: FileOutcome) -> None:
        if file.archive is not None:
            names = [self._redactor.path(file.archive, file.within)]
            names += [self._redactor.path(file.member)] if file.member else []
            outcome.place = CHAIN.join(names)
        self.outcomes[file.place] = outcome

    def _shown(self, file: FoundFile) -> str:
        return self._redactor.path(file.shown, file.place)

    def _see(
        self, file: FoundFile, log_id: int | None, status: str, reason: str | None,
        listed: tuple[str, ...] | None = None,
    ) -> None:  # fmt: skip
        given = self._plan.campaign_given(file.place)
        sighting = self._sightings.make(file, log_id, status, reason, given, listed)
        self.pending.sightings.append(sighting)
        folder = folder_of(file.place)
        self.folders.add(folder)
        self.pending.folders.add(folder)
        if is_lasting(file.place):
            size, mtime, names_hash = file.size, file.mtime_ns, self._plan.names_hash
            known = LIMITED if file.limited else AS_LOG if file.place in self._read_as_logs else status
            self.pending.seen.append(
                SeenFile(file.place, size, mtime, sighting.sighting_id, log_id, names_hash, known, file.within)
            )


def _joined(tables: list[pa.Table]) -> list[pa.Table]:
    """Joins many small tables to few of some 200,000 rows, each column in one chunk. Empties `tables`."""
    import pyarrow as pa

    found: list[pa.Table] = []
    while tables:
        some = [tables.pop(0)]
        while tables and sum(rows.num_rows for rows in some) < ROWS_AT_ONCE:
            some.append(tables.pop(0))
        found.append(pa.concat_tables(some).combine_chunks())
    return found
