"""The unit of work: (places) -> Arrow, pure and picklable, so that any number of processes can do it."""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from itertools import starmap
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from benchledger.archives.streams import Source
from benchledger.definitions.log_format import all_formats_hash
from benchledger.ingestion.collecting import without_collecting
from benchledger.ingestion.handing import Handed, handed
from benchledger.ingestion.log_rows import LogRows
from benchledger.ingestion.waiting import Spill, WaitingRecords
from benchledger.redaction.redactor import Redactor
from benchledger.redaction.samples import known_redaction
from benchledger.scanning.columns import RecordColumns
from benchledger.scanning.content import Previous, small_content
from benchledger.scanning.layout import Layout
from benchledger.scanning.log_reader import CHUNK, LogReader, ReadLog
from benchledger.scanning.samples import known_formats

if TYPE_CHECKING:
    import pyarrow as pa


REJECTS_SHOWN = 5
# By so much a process that reads yields to the one that writes.
YIELDING = 5


@dataclass(frozen=True)
class ToRead:
    """One file to read, and what was seen at its place before.

    Instead of the file: `content`, for standard input and small members of archives; or `stream`, for a large member,
    which is read where its archive is walked, and `reopen`, which gives it again.
    """

    place: str
    size: int
    previous: Previous | None = None
    content: bytes | None = None
    stream: Source | None = None
    reopen: Callable[[], Source] | None = None


@dataclass(slots=True)
class WasRead:
    """What became of a file: `problem` if it could not be read, else what its log is. Its rows are in the batch.

    The status of what turned out to be an archive is "archive", and nothing else is told of it here. `limited`: a
    limit was the problem.
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
    first_rejects: tuple[str, ...] = ()
    listed: tuple[str, ...] | None = None
    limited: bool = False


@dataclass
class Batch:
    """The files of one unit of work, and all that was found in them as Arrow tables by name.

    Of long logs most records wait in a file.
    """

    files: list[WasRead] = field(default_factory=list)
    tables: dict[str, pa.Table] = field(default_factory=dict)
    layouts: dict[int, Layout] = field(default_factory=dict)
    waiting: list[WaitingRecords] = field(default_factory=list)

    def __getstate__(self) -> dict[str, Any]:
        # As tuples, thousands of files are told in a third of the time.
        return {**self.__dict__, "files": list(map(_told, self.files)), "tables": handed(self.tables) or self.tables}

    def __setstate__(self, state: dict[str, Any]) -> None:
        tables = state["tables"]
        self.__dict__ = {
            **state,
            "files": list(starmap(WasRead, state["files"])),
            "tables": tables.taken() if isinstance(tables, Handed) else tables,
        }


_told = attrgetter(*(field.name for field in fields(WasRead)))


class _Process:
    """What one process keeps from batch to batch: learned line layouts serve the next logs too."""

    def __init__(self, known: frozenset[str], key: bytes, folder: Path) -> None:
        self.redactor = Redactor(known_redaction(), key)
        self.formats = known_formats()
        self.unread_hash = all_formats_hash(self.formats)
        self.manifests = {name for name, known in self.formats.items() if known.role == "manifest"}
        self.reader = LogReader(self.formats)
        self.known = known
        self.folder = folder


_process: _Process | None = None


def begin(known: frozenset[str], key: bytes, folder: Path, in_worker: bool = True) -> None:
    """Prepares a process.

    `known` are content hashes whose logs need not be read again, `key` is the pseudonyms', `folder` where records may
    wait.
    """
    global _process  # noqa: PLW0603 - a worker has nowhere else to keep it from unit to unit
    _process = _Process(known, key, folder)
    if in_worker:
        # Ctrl-C is the parent's to handle: a worker just ends.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        if hasattr(os, "nice"):
            # What the parent writes takes longer than what is read for it: where cores are short, it goes first.
            os.nice(YIELDING)


def read_batch(files: list[ToRead]) -> Batch:
    """Reads files one after another. A content that occurs twice among them is read once."""
    assert _process is not None, "begin() prepares the process"
    with without_collecting():
        return _read_batch(_process, files)


def _read_batch(process: _Process, files: list[ToRead]) -> Batch:
    redact = process.redactor.text
    spill = Spill(process.folder)
    batch, columns = Batch(), RecordColumns(process.redactor, spill.add)
    rows = LogRows(process.formats, process.unread_hash, process.redactor)
    log_ids: list[int | None] = []
    here: set[str] = set()
    manifests: set[str] = set()
    for number, file in enumerate(files):
        columns.log = number
        waited = spill.rows
        log = _read_one(process.reader, file, columns, lambda digest: digest in process.known or digest in here)
        if spill.rows > waited:
            # All of a log in one piece: what follows its records from one to the next need not sort them.
            columns.relieve(1)
        if isinstance(log, str) or log.status == "archive":
            batch.files.append(WasRead(problem=redact(log)) if isinstance(log, str) else WasRead(status="archive"))
            log_ids.append(None)
            continue
        is_manifest = log.format in process.manifests
        if log.content_hash in manifests:
            # Read for what it lists here, and kept once.
            log.status = "known"
        (manifests if is_manifest else here).add(log.content_hash)
        log_ids.append(log.log_id if log.status == "loaded" else None)
        if log.status != "known":
            rows.add(log)
        found = log.scanned
        batch.files.append(
            WasRead(None, log.log_id, log.content_hash, log.bytes, log.status,
                    sys.intern(redact(log.evidence)), log.format, log.grew, found.pieces, found.records,
                    sum(found.ignored.values()), len(found.rejects),
                    tuple(f"{reject.line}: {reject.reason}: {redact(reject.text)}"
                          for reject in found.rejects[:REJECTS_SHOWN]),
                    tuple(found.files) if is_manifest else None)
        )  # fmt: skip
    if all(file.status in ("", "archive", "known") for file in batch.files):
        # Nothing of it is to be kept. pyarrow has a thread, beside which no process could be forked for an archive.
        return batch
    batch.layouts = columns.layouts()
    batch.tables = {"record": columns.to_arrow(log_ids), **rows.to_arrow()}
    batch.waiting = spill.end(log_ids)
    return batch


def _read_one(reader: LogReader, file: ToRead, columns: RecordColumns, known: Callable[[str], bool]) -> ReadLog | str:
    if file.stream is not None:
        return reader.read(file.stream, columns, known, file.previous, file.size, file.reopen)
    try:
        content = file.content if file.content is not None else small_content(file.place, file.size)
        if content is not None and len(content) < CHUNK:
            return reader.read_content(content, columns, known, file.previous)
        stream: BinaryIO
        with io.BytesIO(content) if content is not None else open(file.place, "rb") as stream:
            return reader.read(stream, columns, known, file.previous, file.size)
    except OSError as error:
        # It vanished or may not be read: accounted for, and no reason to lose the others.
        return f"cannot be read: {error.strerror or error}"
