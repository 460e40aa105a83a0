"""Reads units of files to Arrow tables, in any number of processes."""

from __future__ import annotations

import gc
import io
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from functools import partial
from itertools import starmap
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from benchledger.archives.streams import ObservedStream, Source
from benchledger.definitions.folders import use_definitions
from benchledger.definitions.log_format import LogFormat, all_formats_hash
from benchledger.ingestion.base_tables import LogRows
from benchledger.ingestion.discover import FoundFile, open_file
from benchledger.ingestion.keep_logs import Keeping, LogKeeper
from benchledger.ingestion.read_guard import ReadGuard, is_disk_full
from benchledger.ingestion.transfer import SharedTables, Spill, SpilledRecords, shared, use_unnamed_sockets
from benchledger.redaction.redactor import Redactor
from benchledger.redaction.samples import known_redaction
from benchledger.scanning.columns import RecordColumns
from benchledger.scanning.content import Previous, small_content
from benchledger.scanning.layout import Layout
from benchledger.scanning.log_reader import CHUNK, LogReader, ReadLog
from benchledger.scanning.native_scanner import is_available, is_requested
from benchledger.scanning.samples import known_formats
from benchledger.scanning.trackers.named_files import name_within
from benchledger.store.log_contents import KeptLog

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    import pyarrow as pa


UNIT_BYTES = 8 * 1024 * 1024
UNIT_FILES = 1_000
# The reference reader takes half a second for so much, the native scanner a tenth for 8 MB.
SLOW_UNIT_BYTES = 1024 * 1024
REJECTS_SHOWN = 5
# The nice value of a worker: the process that writes goes first.
YIELDING = 5


@dataclass(frozen=True)
class ToRead:
    """One file to read, and the content that was seen at its place before.

    Instead of the file: `content`, of a small member of an archive; or `stream`, for a large member, which is read
    where its archive is walked, and `reopen`, which gives it again; or `open`, which opens a file that is not on this
    disk and can seek.
    """

    place: str
    size: int
    previous: Previous | None = None
    content: bytes | None = None
    stream: Source | None = None
    reopen: Callable[[], Source] | None = None
    open: Callable[[], BinaryIO] | None = None


@dataclass
class Unit:
    """Files that are read together. `files` include those that are not read, to keep the order."""

    files: list[FoundFile] = field(default_factory=list)
    to_read: list[ToRead] = field(default_factory=list)
    bytes: int = 0

    @property
    def full(self) -> bool:
        """Whether nothing more belongs into it."""
        return self.bytes >= most_bytes() or len(self.files) >= UNIT_FILES

    def halves(self) -> Iterator[Unit]:
        """Two units of these files, each of which is read."""
        middle = len(self.files) // 2
        for part in (slice(middle), slice(middle, None)):
            to_read = self.to_read[part]
            yield Unit(self.files[part], to_read, sum(reading.size for reading in to_read))

    def add(self, file: FoundFile, reading: ToRead) -> None:
        """One more file that is to be read."""
        self.files.append(file)
        self.to_read.append(reading)
        self.bytes += reading.size


def most_bytes() -> int:
    """The size of a unit: between two units, what was read can be written."""
    return UNIT_BYTES if is_requested() and is_available() else min(SLOW_UNIT_BYTES, UNIT_BYTES)


def units_of(files: list[FoundFile], to_read: list[ToRead]) -> list[Unit]:
    """Files in order, in units of 8 MB and at most 1,000 files; smaller ones without the native scanner."""
    units: list[Unit] = []
    most = most_bytes()
    for file, reading in zip(files, to_read, strict=True):
        if not units or units[-1].bytes + reading.size > most or units[-1].full:
            units.append(Unit())
        units[-1].add(file, reading)
    return units


@dataclass(slots=True)
class WasRead:
    """The outcome of reading a file: `problem` if it could not be read, else its log. The rows are in the tables.

    An archive has the status "archive" and nothing else. `limited`: a limit was the problem. `document`: what document
    it is by its beginning, empty for a log.
    """

    problem: str | None = None
    log_id: int = 0
    content_hash: str = ""
    bytes: int = 0
    status: str = ""
    evidence: str = ""
    format: str | None = None
    grew: bool = False
    pieces: int = 0
    records: int = 0
    ignored: int = 0
    rejects: int = 0
    unread: int = 0
    first_rejects: tuple[str, ...] = ()
    listed: tuple[str, ...] | None = None
    limited: bool = False
    document: str = ""


@dataclass
class ReadFiles:
    """The files of one unit of work, and all that was found in them as Arrow tables by name.

    Most records of long logs are on the disk (`spilled`). `real_names` are those that were replaced, by pseudonym.
    `kept` are compressed contents.
    """

    files: list[WasRead] = field(default_factory=list)
    tables: dict[str, pa.Table] = field(default_factory=dict)
    layouts: dict[int, Layout] = field(default_factory=dict)
    spilled: list[SpilledRecords] = field(default_factory=list)
    real_names: dict[str, str] = field(default_factory=dict)
    kept: list[KeptLog] = field(default_factory=list)

    def __getstate__(self) -> dict[str, Any]:
        # As tuples, thousands of files are pickled in a third of the time.
        return {
            **self.__dict__,
            "files": list(map(_as_tuple, self.files)),
            "tables": shared(self.tables) or self.tables,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        tables = state["tables"]
        self.__dict__ = {
            **state,
            "files": list(starmap(WasRead, state["files"])),
            "tables": tables.taken() if isinstance(tables, SharedTables) else tables,
        }


_as_tuple = attrgetter(*(field.name for field in fields(WasRead)))


# A worker process has one reader from unit to unit.
_worker: list[UnitReader] = []


def process_reader(
    known: frozenset[str],
    key: bytes,
    folder: Path,
    meanwhile: Callable[[], None] = lambda: None,
    keeping: Keeping = Keeping(),  # noqa: B008 - it never changes
) -> UnitReader:
    """A reader with the definitions of this process and the key of the pseudonyms; the rest is as in UnitReader."""
    return UnitReader(known_formats(), Redactor(known_redaction(), key), folder, known, meanwhile, keeping)


def begin_worker(
    new_reader: Callable[[], UnitReader], ends: tuple[Connection, Connection], definitions: Iterable[Path | str] = ()
) -> None:
    """Prepares a worker process. The second of `ends` is the parent's end of a pipe; `definitions` are its own too."""
    use_definitions(*definitions)
    # Ctrl-C is the parent's to handle; SIGTERM ends this process, whatever the parent does at it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    use_unnamed_sockets()
    parent, other_end = ends
    other_end.close()

    # At once, however long a log it reads.
    threading.Thread(target=end_with, args=(parent,), daemon=True).start()
    _worker[:] = [new_reader()]
    if hasattr(os, "nice"):
        # The parent needs longer to write than its workers to read: where cores are short, it goes first.
        os.nice(YIELDING)


def end_with(parent: Connection) -> None:
    """Ends this process when the other end of the pipe is closed."""
    # Nothing is ever sent through this pipe: it is readable when the parent has ended.
    parent.poll(None)
    os._exit(1)


@contextmanager
def gc_paused() -> Iterator[None]:
    """No garbage collection of cycles within: for the rows and files of an ingest it takes a tenth of the time."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def read_files(files: list[ToRead]) -> ReadFiles:
    """Reads files in a worker process."""
    (reader,) = _worker
    return reader.read(files)


class UnitReader:
    """Reads units of files. Compiled formats are kept from unit to unit.

    `folder`: where records of long logs are spilled; None for memory. `known` are content hashes whose logs need not be
    read again; `meanwhile` is called again and again while logs are read, and an error that it raises ends the reading.
    """

    def __init__(
        self,
        formats: dict[str, LogFormat],
        redactor: Redactor,
        folder: Path | None = None,
        known: frozenset[str] = frozenset(),
        meanwhile: Callable[[], None] = lambda: None,
        keeping: Keeping = Keeping(),  # noqa: B008 - it never changes
    ) -> None:
        self._formats, self._redactor, self._folder = formats, redactor, folder
        self._keeper = LogKeeper(redactor, keeping)
        self._unread_hash = all_formats_hash(formats)
        self._manifests = {name for name, known in formats.items() if known.role == "manifest"}
        self._reader = LogReader(formats)
        self._known, self._guard = known, ReadGuard(meanwhile)

    @gc_paused()
    def read(self, files: list[ToRead]) -> ReadFiles:
        """Reads files one after another. A content that occurs twice among them is read once.

        A file whose reading fails gets the reason as its problem.
        """
        try:
            return self._read_all(files, {})
        except Exception as error:
            reason = self._guard.reason(error)
            if reason is None:
                raise
        # Rare. Which file failed may show only when all rows become tables, so each is read alone.
        failed = dict(self._failures(files)) if len(files) > 1 else {0: reason}
        return self._read_all(files, failed)

    def _failures(self, files: list[ToRead]) -> Iterator[tuple[int, str]]:
        for number, file in enumerate(files):
            try:
                self._read_all([file], {})
            except Exception as error:
                reason = self._guard.reason(error)
                if reason is None:
                    raise
                yield number, reason

    def _read_all(self, files: list[ToRead], failed: dict[int, str]) -> ReadFiles:
        redact = self._redactor.text
        self._keeper.begin()
        spill = Spill(self._folder) if self._folder is not None else None
        base, columns = ReadFiles(), RecordColumns(self._redactor, spill.add if spill is not None else None)
        rows = LogRows(self._formats, self._unread_hash, self._redactor)
        log_ids: list[int | None] = []
        here: set[str] = set()
        manifests: set[str] = set()
        for number, file in enumerate(files):
            self._guard.meanwhile()
            columns.log = number
            spilled = spill.rows if spill is not None else 0
            log = failed.get(number) or self._read_limited(
                file, columns, lambda digest: digest in self._known or digest in here
            )
            if spill is not None and spill.rows > spilled:
                # The records of a log in one chunk: later steps need not sort them.
                columns.flush(1)
            if isinstance(log, str) or log.status == "archive":
                base.files.append(WasRead(problem=redact(log)) if isinstance(log, str) else WasRead(status="archive"))
                log_ids.append(None)
                continue
            is_manifest = log.format in self._manifests
            if log.content_hash in manifests or log.content_hash in here:
                # A manifest is read at each place, since its list depends on that, and kept once; so is an empty file.
                log.status = "known"
            (manifests if is_manifest else here).add(log.content_hash)
            log_ids.append(log.log_id if log.status == "loaded" else None)
            if log.status != "known":
                rows.add(log)
            found = log.scanned
            base.files.append(
                WasRead(None, log.log_id, log.content_hash, log.bytes, log.status,
                        sys.intern(redact(log.evidence)), log.format, log.grew, found.pieces, found.records,
                        sum(found.ignored.values()), len(found.rejects), found.unread.lines,
                        tuple(f"{reject.line}: {reject.reason}: {redact(reject.text)}"
                              for reject in found.rejects[:REJECTS_SHOWN]),
                        tuple(found.files) if is_manifest else None, document=log.document)
            )  # fmt: skip
        base.real_names, base.kept = dict(self._redactor.real_names), self._keeper.taken()
        if all(file.status in ("", "archive", "known") for file in base.files):
            # No rows: pyarrow would start a thread, and with it no process can be forked for an archive.
            return base
        base.layouts = columns.layouts()
        base.tables = {"record": columns.to_arrow(log_ids), **rows.to_arrow()}
        base.spilled = spill.end(log_ids) if spill is not None else []
        return base

    def _read_limited(self, file: ToRead, columns: RecordColumns, known: Callable[[str], bool]) -> ReadLog | str:
        with self._guard.limited(file.size):
            return self._read_one(file, columns, known)

    def _read_one(self, file: ToRead, columns: RecordColumns, known: Callable[[str], bool]) -> ReadLog | str:
        reader, keeper, name = self._reader, self._keeper, name_within(file.place)
        if file.stream is not None:
            stream = keeper.observed(ObservedStream(file.stream, self._guard.meanwhile), name)
            reopen = None if file.reopen is None else partial(_observed_again, keeper, file.reopen, name)
            return keeper.keep_observed(reader.read(stream, columns, known, file.previous, file.size, reopen, name))
        try:
            content = file.content
            if content is None and file.open is None:
                content = small_content(file.place, file.size)
            opens = file.open or partial(open_file, file.place)
            if content is not None and len(content) < CHUNK:
                whole = content
                log = reader.read_content(content, columns, known, file.previous, name)
                return keeper.keep(log, lambda: (whole,), name)
            opened: BinaryIO
            with io.BytesIO(content) if content is not None else opens() as opened:
                seen = ObservedStream(opened, self._guard.meanwhile)
                log = reader.read(seen, columns, known, file.previous, file.size, name=name)
                return keeper.keep(log, partial(_again, seen), name)
        except OSError as error:
            if is_disk_full(error):
                raise
            # It vanished or may not be read: the other files are read all the same.
            return f"cannot be read: {error.strerror or error}"


def _again(stream: ObservedStream) -> Iterator[bytes]:
    stream.seek(0)
    return iter(partial(stream.read, CHUNK), b"")


def _observed_again(keeper: LogKeeper, reopen: Callable[[], Source], name: str) -> Source:
    return keeper.observed(reopen(), name)
