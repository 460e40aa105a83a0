"""Scans line formats: finds the lines with a literal of the format, and reads them by the reference reader."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from ahocorasick_rs import MATCHKIND_LEFTMOST_FIRST, BytesAhoCorasick

from benchledger.definitions.log_format import LogFormat
from benchledger.scanning.columns import RecordColumns
from benchledger.scanning.lines import LineReader
from benchledger.scanning.rows import NEVER_UNFINISHED, UNFINISHED, Pieces, RejectedPiece
from benchledger.scanning.statements import SegmentCollector
from benchledger.scanning.unread import UnreadLines, unread_in

_CUTS = re.compile(rb"[\r\n]")
# A match is a tuple. The buffer is searched in parts, so that many matches do not fill the memory.
_PART = 65_536


@dataclass
class ScannedLog:
    """The results of one log except its records, which are in the shared columns."""

    pieces: int = 0
    records: int = 0
    notes: int = 0
    phase: str = "train"
    scope: str | None = None
    ignored: Counter[str] = field(default_factory=Counter)
    unread: UnreadLines = field(default_factory=UnreadLines)
    rejects: list[RejectedPiece] = field(default_factory=list)
    segments: SegmentCollector = field(default_factory=SegmentCollector)
    files: list[str] = field(default_factory=list)

    def ignore_unfinished(self, last_line: int) -> None:
        """Makes rejects of a last line without an end ignored pieces: a program may be writing that line."""
        kept = [piece for piece in self.rejects if piece.line != last_line or piece.reason in NEVER_UNFINISHED]
        if unfinished := len(self.rejects) - len(kept):
            self.rejects[:] = kept
            self.ignored[UNFINISHED] += unfinished


class Scanner:
    """Scans the logs of one format, buffer by buffer; a buffer ends at a line end or at the end of its log."""

    def __init__(self, log_format: LogFormat) -> None:
        self.format = log_format
        self.reader = LineReader(log_format)

    @cached_property
    def _literals(self) -> list[bytes]:
        return list(dict.fromkeys([*self.reader.first_literals, *(anchor.encode() for anchor in self.format.anchors)]))

    @cached_property
    def _search(self) -> BytesAhoCorasick:
        return BytesAhoCorasick(self._literals, matchkind=MATCHKIND_LEFTMOST_FIRST)

    def _places(self, buffer: bytes, end: int) -> Iterator[int]:
        # The positions of the format's literals in buffer[:end], in order: at least one per line with a literal.
        view = memoryview(buffer)[:end]
        overlap = max(map(len, self._literals)) - 1
        for start in range(0, end, _PART):
            for _, at, _ in self._search.find_matches_as_indexes(view[start : start + _PART + overlap]):
                yield start + at

    def scan(self, buffer: bytes, end: int, base: int, line: int, log: ScannedLog, columns: RecordColumns) -> int:
        """Adds the pieces of buffer[:end], which begins at offset `base` on line `line`; returns the line after it."""
        counted = consumed = 0
        for start in self._places(buffer, end):
            if start < consumed:
                continue
            begin = _subline_start(buffer, consumed, start)
            self._add_unread(buffer, consumed, begin, line, log)
            line += buffer.count(b"\n", counted, start)
            counted = start
            cut = _CUTS.search(buffer, start, end)
            consumed = cut.start() if cut else end
            pieces = Pieces(phase=log.phase, scope=log.scope)
            self.reader.read_subline(buffer, begin, consumed, line, base, pieces)
            log.phase, log.scope = pieces.phase, pieces.scope
            self.keep(pieces, log, columns)
        self._add_unread(buffer, consumed, end, line, log)
        return line + buffer.count(b"\n", counted, end)

    def _add_unread(self, buffer: bytes, start: int, end: int, line: int, log: ScannedLog) -> None:
        # Lines without a literal of the format; `line` is that of `start`.
        for number, text in unread_in(buffer, start, end, line):
            log.pieces += 1
            log.unread.add(number, text)

    def keep(self, pieces: Pieces, log: ScannedLog, columns: RecordColumns) -> None:
        """Adds the pieces that a reader found in a part of a log."""
        log.pieces += pieces.pieces
        log.records += len(pieces.rows)
        log.ignored.update(pieces.ignored)
        for line, text in pieces.unread:
            log.unread.add(line, text)
        log.rejects += pieces.rejects
        log.files += pieces.files
        for row in pieces.rows:
            log.notes += row.note is not None
            log.segments.add(row, self.format)
            columns.add(row)


def _subline_start(buffer: bytes, consumed: int, start: int) -> int:
    # Both searches stop at `consumed`, so that each byte is searched once.
    if start == consumed or buffer[start - 1] in b"\r\n":
        return start
    newline = buffer.rfind(b"\n", consumed, start)
    carriage = (
        buffer.rfind(b"\r", max(consumed, newline), start) if newline >= 0 else buffer.rfind(b"\r", consumed, start)
    )
    last = max(newline, carriage)
    return last + 1 if last >= 0 else consumed
