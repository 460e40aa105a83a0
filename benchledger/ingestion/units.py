"""What is read together and what came of it: files to read, units of them, and their rows as Arrow tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, fields
from itertools import starmap
from operator import attrgetter
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

from benchledger.archives.streams import Source
from benchledger.ingestion.discover import FoundFile
from benchledger.ingestion.transfer import SharedTables, SpilledRecords, shared
from benchledger.scanning.content import Previous
from benchledger.scanning.layout import Layout
from benchledger.scanning.native_scanner import is_available, is_requested
from benchledger.store.log_contents import KeptLog

if TYPE_CHECKING:
    import pyarrow as pa

T = TypeVar("T")
UNIT_BYTES = 8 * 1024 * 1024
UNIT_FILES = 1_000
# The reference reader takes half a second for so much, the native scanner a tenth for 8 MB.
SLOW_UNIT_BYTES = 1024 * 1024


def in_parts(
    items: Iterable[T], size: Callable[[T], float], most: float, count: int | None = None
) -> Iterator[list[T]]:
    """Consecutive items in parts of at most this size, and at most `count` items; a larger item is alone."""
    part: list[T] = []
    total = 0.0
    for item in items:
        if part and (total + size(item) > most or len(part) == count):
            yield part
            part, total = [], 0.0
        part.append(item)
        total += size(item)
    if part:
        yield part


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
        return self.bytes >= most_bytes() or len(self.files) >= UNIT_FILES

    def halves(self) -> Iterator[Unit]:
        middle = len(self.files) // 2
        for part in (slice(middle), slice(middle, None)):
            to_read = self.to_read[part]
            yield Unit(self.files[part], to_read, sum(reading.size for reading in to_read))

    def add(self, file: FoundFile, reading: ToRead) -> None:
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
            "tables": tables.read() if isinstance(tables, SharedTables) else tables,
        }


_as_tuple = attrgetter(*(field.name for field in fields(WasRead)))
