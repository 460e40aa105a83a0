"""Reads units of files to Arrow tables, in any number of processes."""

from __future__ import annotations

import gc
import io
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import BinaryIO

from benchledger.archives.disk_file import open_file
from benchledger.archives.streams import ObservedStream, Source
from benchledger.definitions.log_format import LogFormat, all_formats_hash
from benchledger.ingestion.base_tables import LogRows
from benchledger.ingestion.keep_logs import Keeping, LogKeeper
from benchledger.ingestion.read_guard import ReadGuard, is_disk_full
from benchledger.ingestion.transfer import Spill
from benchledger.ingestion.units import ReadFiles, ToRead, WasRead
from benchledger.redaction.redactor import Redactor
from benchledger.redaction.samples import known_redaction
from benchledger.scanning.columns import RecordColumns
from benchledger.scanning.content import small_content
from benchledger.scanning.log_reader import CHUNK, LogReader, ReadLog
from benchledger.scanning.samples import known_formats
from benchledger.scanning.trackers.named_files import name_within

REJECTS_SHOWN = 5
# The nice value of a worker: the process that writes goes first.
YIELDING = 5


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


def begin_worker(new_reader: Callable[[], UnitReader]) -> None:
    """Prepares a process that reads for another."""
    # Ctrl-C is the parent's to handle; SIGTERM ends this process, whatever the parent does at it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _worker[:] = [new_reader()]
    if hasattr(os, "nice"):
        # The parent needs longer to write than its workers to read: where cores are short, it goes first.
        os.nice(YIELDING)


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
        with self._guard.timed():
            try:
                return self._read_all(files, {})
            except Exception as error:
                reason = self._guard.reason(error)
                if reason is None:
                    raise
            # Rare. The failure may show only when all rows become tables, so read each file alone to find the bad one.
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
            self._guard.begin(file.size)
            columns.log = number
            spilled = spill.rows if spill is not None else 0
            log = failed.get(number) or self._read_one(
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
                        tuple(f"{reject.line}: {redact(reject.reason)}: {redact(reject.text)}"
                              for reject in found.rejects[:REJECTS_SHOWN]),
                        tuple(found.files) if is_manifest else None, document=log.document)
            )  # fmt: skip
        self._guard.begin(None)
        base.real_names, base.kept = dict(self._redactor.real_names), self._keeper.take()
        if all(file.status in ("", "archive", "known") for file in base.files):
            # No rows: pyarrow would start a thread, and with it no process can be forked for an archive.
            return base
        base.layouts = columns.layouts()
        base.tables = {"record": columns.to_arrow(log_ids), **rows.to_arrow()}
        base.spilled = spill.end(log_ids) if spill is not None else []
        return base

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
