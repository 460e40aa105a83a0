"""One log, from an open stream to what is known of it: hash, format, records, rejects, segments."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

from benchledger.archives.magic_bytes import HEAD, is_archive, is_text
from benchledger.archives.streams import Source
from benchledger.definitions.log_format import LogFormat
from benchledger.scanning.buffers import whole_lines
from benchledger.scanning.columns import RecordColumns
from benchledger.scanning.content import Counter, Previous, content_hash, goes_on, log_id_of
from benchledger.scanning.detection import BLOCK, Detected, Detector, numbered_blocks
from benchledger.scanning.file_reader import DOCUMENT_LIMIT, FileReader
from benchledger.scanning.literal_search import LiteralSearch
from benchledger.scanning.native_scanner import is_requested, native_scanner
from benchledger.scanning.readers import reader_of
from benchledger.scanning.rows import TOO_LARGE, TOO_LONG, Pieces, RejectedPiece
from benchledger.scanning.scanner import ScannedLog, Scanner
from benchledger.scanning.values import decode

# Also the longest line that is held: a longer one is one piece, refused, of which only the beginning is looked at.
CHUNK = 8 * 1024 * 1024
NO_TEXT = "no text in it"


@dataclass
class ReadLog:
    """What became of one log. `status`: loaded, known, empty or unrecognised; `evidence` says why.

    `archive` is no log: its beginning was looked at, and nothing else is told of it here.
    """

    content_hash: str
    bytes: int
    lines: int
    status: str
    evidence: str
    format: str | None = None
    grew: bool = False
    scanned: ScannedLog = field(default_factory=ScannedLog)

    @cached_property
    def log_id(self) -> int:
        """The first 63 bits of the content hash."""
        return log_id_of(self.content_hash)


class Known(Protocol):
    """Tells whether a content was read before under the same definitions."""

    def __call__(self, content_hash: str, /) -> bool: ...


def _unmarked(head: bytes) -> bytes:
    """The beginning of a file with blanks for the byte order mark that some editors put there: no place changes."""
    return b"   " + head[3:] if head.startswith(codecs.BOM_UTF8) else head


class LogReader:
    """Reads logs one after another with all formats; what a format compiled to serves the next log too."""

    def __init__(self, formats: dict[str, LogFormat], *, native: bool | None = None) -> None:
        """`native`: whether the extension reads lines; None: if it is there and BENCH_SCANNER does not say "python"."""
        self._native = is_requested() if native is None else native
        self._formats = {name: log_format for name, log_format in formats.items() if log_format.detectable}
        self._detector = Detector(self._formats, native=self._native)
        self._scanners: dict[str, Scanner] = {}
        found = (reader_of(log_format) for log_format in self._formats.values())
        self._readers = [reader for reader in found if reader is not None]
        # Which files of other formats than lines a file may be, by its first byte behind blanks.
        self._by_opening: dict[bytes, list[FileReader]] = {}
        marks = (mark for reader in self._readers for mark in reader.marks)
        self._marks = LiteralSearch(marks, rare=True, native=self._native)

    def read(
        self,
        stream: Source,
        columns: RecordColumns,
        known: Known,
        previous: Previous | None = None,
        size_hint: int = CHUNK,
        reopen: Callable[[], Source] | None = None,
    ) -> ReadLog:
        """Reads a stream forward, in one pass where a specific format shows in the first 8 MB or the log is unknown.

        Else it is read again from its beginning, which `reopen` gives; without it, the stream has to seek.
        `size_hint` is the size that the log probably has: room for 8 MB is not made for a small one.
        """
        first = stream.read(min(CHUNK, size_hint + 1))
        if size_hint < len(first) < CHUNK:
            # It has grown since its size was asked for.
            first += stream.read(CHUNK - len(first))
        if len(first) < CHUNK:
            return self.read_content(first, columns, known, previous)
        if is_archive(first[:HEAD]):
            return _archive()
        counter = Counter(previous)
        chunks = counter.counted(_chunks(stream, first))
        detected, reader = self._detect(chunks, first, False)
        log = ScannedLog()
        if detected.format is None:
            for _ in chunks:
                pass
            line = 1 + counter.lines
        else:
            if counter.bytes > len(first):
                stream = reopen() if reopen is not None else _rewound(stream)
                first = stream.read(CHUNK)
            counter = Counter(previous)
            line = self._read_detected(detected.format, reader, stream, first, counter, log, columns, reopen is None)
            log.segments.close()
        result = ReadLog(
            counter.digest(), counter.bytes, line - 1 + counter.unterminated,
            "loaded" if detected.format else "unrecognised", detected.evidence,
            detected.format.name if detected.format else None, counter.grew(), log,
        )  # fmt: skip
        if known(result.content_hash):
            result.status = "known"
        return result

    def read_content(
        self, content: bytes, columns: RecordColumns, known: Known, previous: Previous | None = None
    ) -> ReadLog:
        """Reads a log that is held whole, of less than 8 MB: it is hashed once, and nothing is read again."""
        if is_archive(content[:HEAD]):
            return _archive()
        if not content or content.isspace():
            return ReadLog(content_hash(content), len(content), content.count(b"\n"), "empty", NO_TEXT)
        digest, grew = content_hash(content), goes_on(content, previous)
        if known(digest):
            return ReadLog(digest, len(content), 0, "known", "", grew=grew)
        detected, reader = self._detect((content,), content, True)
        log, log_format = ScannedLog(), detected.format
        if log_format is None:
            line = 1 + content.count(b"\n")
        elif reader is not None and reader.whole:
            line = self._read_whole(reader, iter((content,)), Counter(None), log, columns)
        else:
            if reader is not None:
                reader.begin(_unmarked(content))
            line = self._scan(log_format, reader, content, len(content), 0, True, 1, log, columns)
            columns.flush()
        log.segments.close()
        return ReadLog(
            digest, len(content), line - content.endswith(b"\n"), "loaded" if log_format else "unrecognised",
            detected.evidence, log_format.name if log_format else None, grew, log,
        )  # fmt: skip

    def has_lines(self, first: bytes) -> bool:
        """Whether the beginning of a log shows a format of lines: then it is text, whatever else stands in it."""
        detected, reader = self._detect((first,), first, False)
        return detected.format is not None and reader is None

    def _read_detected(
        self, log_format: LogFormat, reader: FileReader | None, stream: Source, first: bytes, counter: Counter,
        log: ScannedLog, columns: RecordColumns, seeks: bool,
    ) -> int:  # fmt: skip
        if reader is not None and reader.whole:
            return self._read_whole(reader, _chunks(stream, first), counter, log, columns)
        if reader is not None:
            reader.begin(_unmarked(first))
        line = 1
        for buffer, end, base, whole in whole_lines(stream, first, counter, CHUNK, seeks):
            line = self._scan(log_format, reader, buffer, end, base, whole, line, log, columns)
            columns.flush()
        return line

    def _read_whole(
        self, reader: FileReader, chunks: Iterator[bytes], counter: Counter, log: ScannedLog, columns: RecordColumns
    ) -> int:
        parts: list[bytes] = []
        line = 1
        for chunk in chunks:
            counter.count(chunk)
            line += chunk.count(b"\n")
            # Of what is too large only the beginning is kept, to show it.
            parts = [*parts, chunk] if counter.bytes <= DOCUMENT_LIMIT else [(parts or [chunk])[0][:1000]]
        document = b"".join(parts)
        parts.clear()
        pieces = Pieces()
        if counter.bytes > DOCUMENT_LIMIT:
            pieces.pieces += 1
            pieces.rejects.append(RejectedPiece(1, 0, None, TOO_LARGE, decode(document)))
        else:
            reader.read(document, 0, 1, pieces)
        self._scanner(reader.format).keep(pieces, log, columns)
        return line

    def _scanner(self, log_format: LogFormat) -> Scanner:
        scanner = self._scanners.get(log_format.name)
        if scanner is None:
            found = native_scanner(log_format) if self._native else None
            scanner = self._scanners[log_format.name] = found or Scanner(log_format)
        return scanner

    def _scan(
        self, log_format: LogFormat, reader: FileReader | None, buffer: bytes, end: int, base: int, whole: bool,
        line: int, log: ScannedLog, columns: RecordColumns,
    ) -> int:  # fmt: skip
        scanner = self._scanner(log_format)
        if not whole:
            if reader is not None or scanner.reader.concerns(buffer):
                log.pieces += 1
                log.rejects.append(RejectedPiece(line, base, None, TOO_LONG, decode(buffer[:1000])))
            return line
        buffer = buffer if base else _unmarked(buffer)
        if reader is None:
            return scanner.scan(buffer, end, base, line, log, columns)
        pieces = Pieces()
        line = reader.read(buffer[:end], base, line, pieces)
        scanner.keep(pieces, log, columns)
        return line

    def _detect(self, chunks: Iterable[bytes], first: bytes, complete: bool) -> tuple[Detected, FileReader | None]:
        head = _unmarked(first)
        if first[8:12] == b"DUCK":
            # The texts that a copy of a ledger holds are those of logs, which lie elsewhere.
            return Detected(None, "a DuckDB database: its logs are what can be read"), None
        marks = self._marks.found_in(head)
        for reader in self._opened_by(head[:BLOCK].lstrip()[:1]):
            if reader.marks and marks.isdisjoint(reader.marks):
                continue
            if (why := reader.fits(head, complete)) is not None:
                return Detected(reader.format, why), reader
        best: dict[str, tuple[tuple[int, int], str]] = {}
        miss = (0, "")
        line = 1
        for chunk in chunks:
            if any(self._detector.look(block, at, best) for block, at in numbered_blocks(chunk, line)):
                break
            # Only a log that nothing proves is asked for what it is near to.
            for block, at in numbered_blocks(chunk, line) if not best else ():
                miss = self._detector.nearest(block, at, miss)
            line += chunk.count(b"\n")
        best = {name: proved for name, proved in best.items() if self._may_be(self._formats[name], head, complete)}
        verdict = self._detector.verdict(self._formats, best)
        if verdict is not None:
            return verdict, None
        for reader in self._readers:
            if (why := reader.fits_late(head, complete)) is not None:
                return Detected(reader.format, why), reader
        return Detected(None, miss[1] or _stranger(first)), None

    def _opened_by(self, opening: bytes) -> list[FileReader]:
        if opening not in self._by_opening:
            readers = [reader for reader in self._readers if not reader.opens or opening in reader.opens]
            self._by_opening[opening] = readers
        return self._by_opening[opening]

    def _may_be(self, log_format: LogFormat, head: bytes, complete: bool) -> bool:
        # What a format that stands alone says holds for a folder: a text that only quotes one of its lines is none.
        return not log_format.alone or (complete and self._scanner(log_format).reader.holds_only_records(head))


def _archive() -> ReadLog:
    return ReadLog("", 0, 0, "archive", "begins as an archive does")


def _stranger(first: bytes) -> str:
    if first[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "UTF-16 text: convert it with `iconv -f UTF-16 -t UTF-8`"
    if not is_text(first[:BLOCK]):
        return "binary: NUL bytes, and no line of a known format"
    return "no line holds the literals of any known format"


def _rewound(stream: Any) -> Source:
    stream.seek(0)
    source: Source = stream
    return source


def _chunks(stream: Source, first: bytes) -> Iterator[bytes]:
    chunk = first
    while chunk:
        yield chunk
        chunk = stream.read(CHUNK)
