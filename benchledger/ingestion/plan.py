"""The plan of an ingest: which files are new or have changed since the ledger saw them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from benchledger.definitions.log_format import LogFormat
from benchledger.definitions.names import Names
from benchledger.ingestion.discover import (
    FoundFile,
    NamedFolders,
    found_at,
    found_before,
    gone_among,
    is_below,
    is_facts_place,
    member_at,
)
from benchledger.ingestion.few_files import make_candidates, seen_at
from benchledger.ingestion.outcomes import DOCUMENT, KnownLog
from benchledger.ingestion.units import ToRead
from benchledger.scanning.content import Previous
from benchledger.store.private_file import PrivateFile, SeenFile

if TYPE_CHECKING:
    import duckdb

# Statuses in the list of files: an archive that was read completely, a file that a limit kept from being read,
# and a document that --documents made a log.
ARCHIVE, LIMITED, AS_LOG = "archive", "limited", "document as log"


@dataclass
class Work:
    """The files of one ingest, sorted out: to be read (in order), declaring facts, unchanged, unreadable."""

    files: list[FoundFile] = field(default_factory=list)
    to_read: list[ToRead] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    facts: list[FoundFile] = field(default_factory=list)
    unchanged: list[FoundFile] = field(default_factory=list)
    unchanged_archives: list[FoundFile] = field(default_factory=list)
    unreadable: list[FoundFile] = field(default_factory=list)
    order: list[FoundFile] = field(default_factory=list)


class Plan:
    """The knowledge of the ledger before this ingest; empty, until `know` is called."""

    def __init__(
        self, names: Names, unread_hash: str, refresh: bool, campaign_name: str | None,
        shown: Callable[[str, str], str], *, documents: bool = False,
    ) -> None:  # fmt: skip
        self._shown = shown
        self.unread_hash = unread_hash
        self._current: dict[str, str] = {}
        self.logs: dict[int, KnownLog] = {}
        self._paths: dict[int, str] = {}
        self._statuses: dict[int, str] = {}
        self.lost_private = False
        # Whether it knows all that the ledger does.
        self.is_whole = True
        self.foreign: list[str] = []
        self._named: dict[int, str] = {}
        self.seen: dict[str, SeenFile] = {}
        # Folders that were named before, and whether the sightings below each are its own; and the ids of roots with
        # logs.
        self.named: dict[str, bool] = {}
        self.root_ids: set[str] = set()
        self._members: dict[str, list[SeenFile]] = {}
        self._reasons: dict[int, str] = {}
        # The places of the members to read again, for archives of which not all are.
        self.wanted: dict[str, set[str]] = {}
        self._listing: frozenset[str] = frozenset()
        self._inputs: set[str] = set()
        self._campaign_name = campaign_name
        self.refresh = refresh
        self.names_hash = names.definitions_hash
        self._documents = documents
        # The logs of which only documents were seen.
        self.only_documents: set[int] = set()

    def know_roots(self, con: duckdb.DuckDBPyConnection | None, private: PrivateFile) -> None:
        if con is not None:
            self.named = private.roots()
            self.root_ids = {row[0] for row in con.execute("select root_id from kept.root").fetchall()}

    def know(
        self, con: duckdb.DuckDBPyConnection, private: PrivateFile, formats: dict[str, LogFormat],
        files: list[FoundFile] | None = None, tops: Iterable[str] = (),
    ) -> None:  # fmt: skip
        """Reads the logs, sightings and list of files, for a few `files` only theirs; `tops`: as in `seen_at`."""
        self._current = {log_format.name: log_format.definitions_hash for log_format in formats.values()}
        few = None if files is None or self.refresh else seen_at(files, private, tops)
        self.seen = few or {}
        self.is_whole = few is None or bool(self.facts_gone(files or []))
        log, sighting = ("log", "sighting") if self.is_whole else ("candidate_log", "candidate_sighting")
        if self.is_whole:
            self.seen = private.seen()
        else:
            make_candidates(con, files or [], self.seen)
        rows = con.execute(
            f"""select log_id, content_hash, bytes, format, definitions_hash, evidence, pieces, records, ignored,
                   rejects, unread
               from {log}"""  # noqa: S608 - one of two names
        ).fetchall()
        self.logs = {row[0]: KnownLog(*row) for row in rows}
        placed = con.execute(f"select sighting_id, path, status, log_id from {sighting}").fetchall()  # noqa: S608
        self._paths = {row[0]: row[1] for row in placed}
        self._statuses = {row[0]: row[2] for row in placed}
        self.only_documents = {row[3] for row in placed if row[2] == DOCUMENT}
        if self.only_documents:
            self.only_documents -= {row[3] for row in placed if row[2] in ("loaded", "duplicate")}
        named, unreadable = "campaign_source = 'option'", "status = 'unreadable'"
        self._named = dict(con.execute(f"select sighting_id, campaign from {sighting} where {named}").fetchall())  # noqa: S608
        self._reasons = dict(con.execute(f"select sighting_id, reason from {sighting} where {unreadable}").fetchall())  # noqa: S608
        for seen in self.seen.values():
            if seen.within:
                self._members.setdefault(seen.within, []).append(seen)
        self.lost_private = private.is_new and bool(placed)
        known = {row[0] for row in con.execute("select distinct format from log where format is not null").fetchall()}
        self.foreign = sorted(known - self._current.keys())
        manifests = {log_format.name for log_format in formats.values() if log_format.role == "manifest"}
        self._inputs = manifests | {log_format.name for log_format in formats.values() if log_format.role == "sidecar"}
        self._listing = frozenset(log.content_hash for log in self.logs.values() if log.format in manifests)

    @cached_property
    def by_hash(self) -> dict[str, KnownLog]:
        return {log.content_hash: log for log in self.logs.values()}

    @cached_property
    def known(self) -> frozenset[str]:
        """The contents that need not be read again, wherever they are seen."""
        return self._not_stale - self.read_anyway

    @cached_property
    def read_anyway(self) -> frozenset[str]:
        """Manifests: their lists depend on the place, so they are read at each place, and kept once."""
        return self._not_stale & self._listing

    @cached_property
    def _not_stale(self) -> frozenset[str]:
        logs = self.logs.values()
        if self.refresh:
            return frozenset(log.content_hash for log in logs if log.format in self.foreign)
        return frozenset(log.content_hash for log in logs if self.is_current(log))

    def status_of(self, sighting_id: int) -> str | None:
        return self._statuses.get(sighting_id)

    def campaign_given(self, place: str) -> str | None:
        """The campaign that --campaign-name gave a place when it was last seen."""
        seen = self.seen.get(place)
        return self._named.get(seen.sighting_id) if seen is not None else None

    def reads_as_log(self, place: str) -> bool:
        """Whether a document is read as a log: now, or when it was last seen."""
        seen = self.seen.get(place)
        return self._documents or (seen is not None and seen.status == AS_LOG)

    def kept_status(self, seen: SeenFile) -> str:
        log = self.logs.get(seen.log_id) if seen.log_id is not None else None
        return DOCUMENT if seen.status == DOCUMENT else log.status if log is not None else seen.status

    def is_input(self, log_id: int) -> bool:
        """Whether a log is a manifest or a sidecar: only the latest one at a place counts."""
        return log_id in self.logs and self.logs[log_id].format in self._inputs

    def is_current(self, log: KnownLog) -> bool:
        if log.format is not None and log.format not in self._current:
            # A user's own definition, which is not given today: its logs stay.
            return True
        now = self._current[log.format] if log.format is not None else self.unread_hash
        return log.definitions_hash == now

    def stale_files(self) -> list[FoundFile]:
        """The files of every log that was read under older definitions, where they were seen."""
        stale: dict[str, SeenFile | None] = {}
        for seen in self.seen.values():
            if seen.log_id in self.logs and not self.is_current(self.logs[seen.log_id]):
                stale[seen.within or seen.place] = self.seen.get(seen.within) if seen.within else seen
                if seen.within:
                    self.wanted.setdefault(seen.within, set()).add(seen.place)
        return [
            self.found_again(seen) if seen is not None else found_at(place, os.path.basename(place))
            for place, seen in sorted(stale.items())
        ]

    def found_again(self, seen: SeenFile) -> FoundFile:
        """A file that was seen before, as it is now, under the path that it had then."""
        path = self._paths.get(seen.sighting_id, os.path.basename(seen.place))
        if not seen.within:
            # The path in the ledger is redacted and has as many parts as the real one, which is to be read.
            real = "/".join(seen.place.split("/")[-(path.count("/") + 1) :])
            return found_before(seen, real if self._shown(real, seen.place) == path else path)
        return member_at(seen.place, path, seen.within)

    def sort_out(self, files: list[FoundFile]) -> Work:
        work = Work(order=files)
        for file in files:
            seen = self.seen.get(file.place)
            if file.problem is not None:
                work.unreadable.append(file)
            elif file.is_facts:
                work.facts.append(file)
            elif seen is not None and self._unchanged_archive(file, seen):
                work.unchanged_archives.append(file)
            elif seen is not None and self._unchanged(file, seen):
                work.unchanged.append(file)
            else:
                work.files.append(file)
                work.to_read.append(ToRead(file.place, file.size, self.previous(file.place), open=file.open))
                work.sizes.append(file.size)
        return work

    def facts_changed(self, file: FoundFile) -> bool:
        seen = self.seen.get(file.place)
        return seen is None or (seen.size, seen.mtime_ns) != (file.size, file.mtime_ns)

    def facts_gone(self, files: list[FoundFile]) -> list[SeenFile]:
        """Every facts.toml that was seen in a folder of these files, or above one, and is gone."""
        is_gone = gone_among(files)
        gone = [
            seen
            for seen in self.seen.values()
            if is_facts_place(seen.place) and not seen.within and is_gone(seen.place)
        ]
        folders = {os.path.dirname(file.place) for file in files} if gone else set()
        return [seen for seen in gone if any(_related(os.path.dirname(seen.place), folder) for folder in folders)]

    def seen_below(self, folder: str) -> list[SeenFile]:
        return [seen for seen in self.seen.values() if is_below(os.path.dirname(seen.place), folder)]

    def seen_through(self, folders: list[str]) -> list[SeenFile]:
        """Every log that was seen in some folders or below, also in archives."""
        named = NamedFolders(folders)
        return [
            seen for seen in (self.seen.values() if folders else ())
            if seen.log_id is not None and named.outermost(os.path.dirname(seen.within or seen.place)) is not None
        ]  # fmt: skip

    def _unchanged(self, file: FoundFile, seen: SeenFile) -> bool:
        return (
            seen.log_id is not None
            and self._same_file(file, seen)
            and self._same_definitions(seen)
            and not self._becomes_log(seen)
        )

    def _unchanged_archive(self, file: FoundFile, seen: SeenFile) -> bool:
        # A limit may be higher now.
        return (
            seen.status == ARCHIVE
            and self._same_file(file, seen)
            and all(
                member.status != LIMITED and self._same_definitions(member) and not self._becomes_log(member)
                for member in self.members_of(file.place)
            )
        )

    def _becomes_log(self, seen: SeenFile) -> bool:
        return self._documents and seen.status == DOCUMENT

    def _same_file(self, file: FoundFile, seen: SeenFile) -> bool:
        return not self.refresh and (seen.size, seen.mtime_ns) == (file.size, file.mtime_ns)

    def _same_definitions(self, seen: SeenFile) -> bool:
        if seen.definitions_hash != self.names_hash:
            return False
        if self._campaign_name is not None and self.campaign_given(seen.place) != self._campaign_name:
            return False
        return seen.log_id is None or (seen.log_id in self.logs and self.is_current(self.logs[seen.log_id]))

    def shown_before(self, place: str) -> str | None:
        """The path under which a file was shown last, if it was redacted by the rules of today."""
        seen = self.seen.get(place)
        if seen is None or seen.definitions_hash != self.names_hash:
            return None
        return self._paths.get(seen.sighting_id)

    def members_of(self, archive: str) -> list[SeenFile]:
        """All that was seen in an archive on disk, in order."""
        return self._members.get(archive, [])

    def reason_of(self, seen: SeenFile) -> str | None:
        return self._reasons.get(seen.sighting_id)

    def previous(self, place: str) -> Previous | None:
        seen = self.seen.get(place)
        log = self.logs.get(seen.log_id) if seen is not None and seen.log_id is not None else None
        return Previous(log.bytes, log.content_hash) if log is not None else None


def _related(one: str, other: str) -> bool:
    return is_below(one, other) or is_below(other, one)
