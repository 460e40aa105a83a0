"""Reads one log from an open stream: hash, format, records, rejects, segments."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

from benchledger.archives.magic_bytes import HEAD, behind_text, is_archive
from benchledger.archives.streams import Source
from benchledger.definitions.log_format import LogFormat
from benchledger.scanning.columns import RecordColumns
from benchledger.scanning.content import (
    Counter,
    Previous,
    content_hash,
    goes_on,
    log_id_of,
    near,
    whole_lines,
    with_cut_marked,
)
from benchledger.scanning.detection import Detected
from benchledger.scanning.document_content import document_content
from benchledger.scanning.file_reader import DOCUMENT_LIMIT, FileReader
from benchledger.scanning.native_scanner import is_requested, native_scanner
from benchledger.scanning.recognition import Recogniser, unmarked
from benchledger.scanning.rows import NOT_TEXT, TOO_LARGE, TOO_LONG, Pieces, RejectedPiece
from benchledger.scanning.scanner import ScannedLog, Scanner
from benchledger.scanning.values import decode

# Also the longest line that is read: a longer one is one reject, of which only the beginning is kept.
CHUNK = 8 * 1024 * 1024
NO_TEXT = "no text in it"
# A binary file of records is read in parts of this size.
PART = 1024 * 1024


@dataclass
class ReadLog:
    """The result of reading one log. `status`: loaded, known, empty, unrecognised or archive; `evidence` says why.

    Of an archive only the beginning was read. `document`: what document it is by its beginning, empty for a log.
    """

    content_hash: str
    bytes: int
    lines: int
    status: str
    evidence: str
    format: str | None = None
    grew: bool = False
    scanned: ScannedLog = field(default_factory=ScannedLog)
    document: str = ""

    @cached_property
    def log_id(self) -> int:
        return log_id_of(self.content_hash)


class Known(Protocol):
    """Tells whether this content was read before under the same definitions."""

    def __call__(self, content_hash: str, /) -> bool: ...


@dataclass
class _Reading:
    """One recognised log while it is read; `line` is the number of the next line, `before` the end of what was read.

    `has_other`: something other than text was found in it.
    """

    format: LogFormat
    file_reader: FileReader | None
    columns: RecordColumns
    log: ScannedLog = field(default_factory=ScannedLog)
    line: int = 1
    before: bytes = b""
    has_other: bool = False


class LogReader:
    """Reads logs one after another with all formats; compiled formats are kept for the next log."""

    def __init__(self, formats: dict[str, LogFormat], *, native: bool | None = None) -> None:
        """`native`: whether the native scanner reads lines; None: if it is available and requested."""
        self._native = is_requested() if native is None else native
        self._scanners: dict[str, Scanner] = {}
        known = {name: log_format for name, log_format in formats.items() if log_format.detectable}
        self._recogniser = Recogniser(known, lambda log_format: self._scanner(log_format).reader, native=self._native)

    def read(
        self,
        stream: Source,
        columns: RecordColumns,
        known: Known,
        previous: Previous | None = None,
        size_hint: int = CHUNK,
        reopen: Callable[[], Source] | None = None,
        name: str = "",
    ) -> ReadLog:
        """Reads a stream, in one pass if a specific format is recognised in the first 8 MB or no format in the log.

        Otherwise it is read again: by `reopen`, or without it by seeking to its beginning. `size_hint` is the probable
        size of the log, so that a small one needs no buffer of 8 MB. `name` is the part of its path that belongs to the
        content (trackers/named_files.py).
        """
        first = stream.read(min(CHUNK, size_hint + 1))
        if size_hint < len(first) < CHUNK:
            # The file has grown since its size was read.
            first += stream.read(CHUNK - len(first))
        if len(first) < CHUNK:
            return self.read_content(first, columns, known, previous, name)
        if is_archive(first[:HEAD]):
            return _archive()
        document = document_content(first)
        counter = Counter(previous, name)
        chunks = counter.counted(_chunks(stream, first))
        detected, file_reader = self._recogniser.recognise(chunks, first, False, name)
        if detected.format is None:
            for _ in chunks:
                pass
            log, lines = ScannedLog(), counter.lines
        else:
            if counter.bytes > len(first):
                stream = reopen() if reopen is not None else _rewound(stream)
                first = stream.read(CHUNK)
            counter = Counter(previous, name)
            reading = _Reading(detected.format, file_reader, columns)
            self._read_detected(reading, stream, first, counter, reopen is None)
            log, lines = reading.log, reading.line - 1
        lines += counter.unterminated
        if counter.unterminated and (file_reader is None or not file_reader.whole):
            log.ignore_unfinished(lines)
        result = _result(counter.digest(), counter.bytes, lines, detected, counter.grew(), log)
        if known(result.content_hash):
            result.status = "known"
        result.document = document
        return result

    def read_content(
        self, content: bytes, columns: RecordColumns, known: Known, previous: Previous | None = None, name: str = ""
    ) -> ReadLog:
        if is_archive(content[:HEAD]):
            return _archive()
        if not content or content.isspace():
            return ReadLog(content_hash(content), len(content), content.count(b"\n"), "empty", NO_TEXT)
        digest, grew = content_hash(content, name), goes_on(content, previous, name)
        if known(digest):
            return ReadLog(digest, len(content), 0, "known", "", grew=grew, document=document_content(content))
        detected, file_reader = self._recogniser.recognise((content,), content, True, name)
        log, lines = ScannedLog(), 0
        if detected.format is None:
            lines = content.count(b"\n")
        else:
            reading = _Reading(detected.format, file_reader, columns, log)
            if file_reader is not None and file_reader.whole:
                self._read_whole(reading, file_reader, iter((content,)), Counter(None))
            else:
                if file_reader is not None:
                    file_reader.begin(unmarked(content))
                self._scan(reading, content, len(content), 0, True)
                columns.flush()
            log.segments.close(detected.format)
            lines = reading.line - 1
        unterminated = not content.endswith(b"\n")
        lines += unterminated
        if unterminated and (file_reader is None or not file_reader.whole):
            log.ignore_unfinished(lines)
        result = _result(digest, len(content), lines, detected, grew, log)
        result.document = document_content(content)
        return result

    def has_lines(self, first: bytes) -> bool:
        """Tells whether the beginning of a log is recognised as a format of lines: then the log is text."""
        detected, reader = self._recogniser.recognise((first,), first, False)
        return detected.format is not None and reader is None

    def _read_detected(self, reading: _Reading, stream: Source, first: bytes, counter: Counter, seeks: bool) -> None:
        file_reader = reading.file_reader
        if file_reader is not None and file_reader.whole:
            self._read_whole(reading, file_reader, _chunks(stream, first), counter)
        else:
            if file_reader is not None:
                file_reader.begin(unmarked(first))
            for buffer, end, base, whole in whole_lines(stream, first, counter, CHUNK, seeks):
                self._scan(reading, buffer, end, base, whole)
                reading.columns.flush()
        reading.log.segments.close(reading.format)

    def _read_whole(
        self, reading: _Reading, file_reader: FileReader, chunks: Iterator[bytes], counter: Counter
    ) -> None:
        if file_reader.streams:
            self._read_parts(reading, file_reader, chunks, counter)
            return
        parts: list[bytes] = []
        for chunk in chunks:
            counter.count(chunk)
            reading.line += chunk.count(b"\n")
            # Of a document that is too large only the beginning is kept, to show it.
            parts = [*parts, chunk] if counter.bytes <= DOCUMENT_LIMIT else [(parts or [chunk])[0][:1000]]
        document = b"".join(parts)
        parts.clear()
        pieces = Pieces()
        if counter.bytes > DOCUMENT_LIMIT:
            pieces.pieces += 1
            pieces.rejects.append(RejectedPiece(1, 0, None, TOO_LARGE, decode(document)))
        else:
            file_reader.read(document, 0, 1, pieces)
        self._scanner(reading.format).keep(pieces, reading.log, reading.columns)

    def _read_parts(
        self, reading: _Reading, file_reader: FileReader, chunks: Iterator[bytes], counter: Counter
    ) -> None:
        scanner = self._scanner(reading.format)
        file_reader.begin(b"")
        for chunk in chunks:
            counter.count(chunk)
            reading.line += chunk.count(b"\n")
            for start in range(0, len(chunk), PART):
                pieces = Pieces()
                file_reader.feed(chunk[start : start + PART], pieces)
                scanner.keep(pieces, reading.log, reading.columns)
                reading.columns.flush()
        pieces = Pieces()
        file_reader.end(pieces)
        scanner.keep(pieces, reading.log, reading.columns)

    def _scanner(self, log_format: LogFormat) -> Scanner:
        scanner = self._scanners.get(log_format.name)
        if scanner is None:
            found = native_scanner(log_format) if self._native else None
            scanner = self._scanners[log_format.name] = found or Scanner(log_format)
        return scanner

    def _scan(self, reading: _Reading, buffer: bytes, end: int, base: int, whole: bool) -> None:
        scanner, log, file_reader = self._scanner(reading.format), reading.log, reading.file_reader
        if not whole:
            if file_reader is not None or scanner.reader.concerns(buffer):
                log.pieces += 1
                log.rejects.append(RejectedPiece(reading.line, base, None, TOO_LONG, decode(buffer[:1000])))
            return
        # The search is slower than reading the log, so only data with a NUL is searched: text has none.
        if not reading.has_other and b"\x00" in buffer and (other := behind_text(buffer)) is not None:
            # What it contains may be private: only its place is kept.
            offset, what = other
            line = reading.line + buffer.count(b"\n", 0, offset)
            reading.has_other = True
            log.pieces += 1
            log.rejects.append(RejectedPiece(line, base + offset, None, NOT_TEXT.format(what), ""))
        buffer = buffer if base else unmarked(buffer)
        before, reading.before = reading.before, near(reading.before, buffer, end)
        buffer, end = with_cut_marked(buffer, end, reading.format, before)
        if file_reader is None:
            reading.line = scanner.scan(buffer, end, base, reading.line, log, reading.columns)
            return
        pieces = Pieces()
        reading.line = file_reader.read(buffer[:end], base, reading.line, pieces)
        scanner.keep(pieces, log, reading.columns)


def _result(digest: str, size: int, lines: int, detected: Detected, grew: bool, log: ScannedLog) -> ReadLog:
    name = detected.format.name if detected.format else None
    return ReadLog(digest, size, lines, "loaded" if name else "unrecognised", detected.evidence, name, grew, log)


def _archive() -> ReadLog:
    return ReadLog("", 0, 0, "archive", "begins as an archive does")


def _rewound(stream: Any) -> Source:
    stream.seek(0)
    source: Source = stream
    return source


def _chunks(stream: Source, first: bytes) -> Iterator[bytes]:
    chunk = first
    while chunk:
        yield chunk
        chunk = stream.read(CHUNK)
