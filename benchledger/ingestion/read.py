"""The unit of work: (places) -> Arrow, pure and picklable, so that any number of processes can do it."""

from __future__ import annotations

import io
import signal
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO

from benchledger.scanning.columns import RecordColumns
from benchledger.scanning.layout import Layout
from benchledger.scanning.log_reader import LogReader, Previous, ReadLog
from benchledger.scanning.samples import load_formats

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class ToRead:
    """One file to read, and what was seen at its place before; `content` instead of the file for standard input."""

    place: str
    previous: Previous | None = None
    content: bytes | None = None


@dataclass
class WasRead:
    """What a file held, without its records; `problem` says why it could not be read."""

    problem: str | None = None
    log: ReadLog | None = None


@dataclass
class Batch:
    """The files of one unit of work, and the records of all of them as one table."""

    files: list[WasRead] = field(default_factory=list)
    records: pa.Table | None = None
    layouts: dict[int, Layout] = field(default_factory=dict)


_reader: LogReader | None = None
_known: frozenset[str] = frozenset()


def begin(known: frozenset[str], in_worker: bool = True) -> None:
    """Prepares a process: `known` are content hashes whose logs need not be read again."""
    global _reader, _known
    _reader, _known = LogReader(load_formats()), known
    if in_worker:
        # Ctrl-C is the parent's to handle: a worker just ends.
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def read_batch(files: list[ToRead]) -> Batch:
    """Reads files one after another. A content that occurs twice among them is read once."""
    assert _reader is not None, "begin() prepares the process"
    batch, columns = Batch(), RecordColumns()
    log_ids: list[int | None] = []
    here: set[str] = set()
    for number, file in enumerate(files):
        columns.log = number
        was = _read_one(_reader, file, columns, lambda digest: digest in _known or digest in here)
        batch.files.append(was)
        loaded = was.log is not None and was.log.status == "loaded"
        log_ids.append(was.log.log_id if was.log is not None and loaded else None)
        if was.log is not None:
            here.add(was.log.content_hash)
    batch.layouts = columns.layouts()
    batch.records = columns.to_arrow(log_ids)
    return batch


def _read_one(reader: LogReader, file: ToRead, columns: RecordColumns, known: Callable[[str], bool]) -> WasRead:
    try:
        stream: BinaryIO
        with io.BytesIO(file.content) if file.content is not None else open(file.place, "rb") as stream:
            return WasRead(log=reader.read(stream, columns, known, file.previous))
    except OSError as error:
        # It vanished or may not be read: accounted for, and no reason to lose the others.
        return WasRead(problem=f"cannot be read: {error.strerror or error}")
