"""The fast scanner of line formats: learned shapes over the whole buffer, the reference reader for what is left."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property

from benchledger.definitions.log_format import LogFormat
from benchledger.scanning.columns import RecordColumns
from benchledger.scanning.lines import LineReader
from benchledger.scanning.rows import Pieces, RejectedPiece
from benchledger.scanning.shapes import Group, Learner
from benchledger.scanning.statements import SegmentNotes

_CUTS = re.compile(rb"[\r\n]")
Hit = tuple[int, Group, "re.Match[bytes]"]


@dataclass
class ScannedLog:
    """What was found in one log beside its records, which go to the shared columns."""

    pieces: int = 0
    records: int = 0
    notes: int = 0
    phase: str = "train"
    ignored: Counter[str] = field(default_factory=Counter)
    rejects: list[RejectedPiece] = field(default_factory=list)
    segments: SegmentNotes = field(default_factory=SegmentNotes)
    files: list[str] = field(default_factory=list)


class Scanner:
    """Scans the logs of one format, buffer by buffer; a buffer ends at a line end or at the end of its log."""

    def __init__(self, log_format: LogFormat) -> None:
        self.format = log_format
        self.reader = LineReader(log_format)

    @cached_property
    def _learner(self) -> Learner:
        return Learner(self.reader)

    def scan(self, buffer: bytes, end: int, base: int, line: int, log: ScannedLog, columns: RecordColumns) -> int:
        """Adds what stands in buffer[:end], which begins at offset `base` on line `line`; returns the line after it."""
        hits = {group: group.search(buffer, 0, end) for group in self._learner.groups}
        waiting: list[Hit] = []
        for group, found in hits.items():
            if (match := next(found, None)) is not None:
                waiting.append((match.start(), group, match))
        waiting.sort(key=_position, reverse=True)
        counted = consumed = 0
        while waiting:
            start, group, match = waiting.pop()
            advance = [group]
            if start >= consumed:
                line += buffer.count(b"\n", counted, start)
                counted = start
                if match.lastindex is not None:
                    consumed = self._take(buffer, base, line, group, match, consumed, log, columns)
                else:
                    consumed, learned = self._fall_back(buffer, end, base, line, start, consumed, log, columns)
                    if learned is not None:
                        # Its pattern has changed: search anew from here.
                        hits[learned] = learned.search(buffer, consumed, end)
                        waiting = [hit for hit in waiting if hit[1] is not learned]
                        advance = list({group, learned})
            for group in advance:
                if (following := next(hits[group], None)) is not None:
                    _insert(waiting, (following.start(), group, following))
        return line + buffer.count(b"\n", counted, end)

    def _take(
        self, buffer: bytes, base: int, line: int, group: Group, match: re.Match[bytes],
        consumed: int, log: ScannedLog, columns: RecordColumns,
    ) -> int:  # fmt: skip
        assert match.lastindex is not None
        shape = group.by_marker[match.lastindex]
        into = columns.of_shape(shape)
        start = match.start()
        begin = _subline_start(buffer, consumed, start)
        stated = lead = None
        if begin < start:
            stated, lead = self.reader.leads.read(buffer[begin:start])
        into.logs.append(columns.log)
        into.lines.append(line)
        into.byte_offsets.append(base + start)
        into.stated.append(stated)
        into.leads.append(lead)
        groups = match.group(*shape.indexes) if shape.groups > 1 else (match.group(shape.indexes[0]),)
        into.groups.append(groups)
        log.pieces += 1
        log.records += 1
        segment = log.segments.see(shape.layout.record.kind, line)
        if shape.layout.facts:
            numbers = (float(raw) for raw, value in zip(groups, shape.value_order, strict=True) if value >= 0)
            scales = shape.layout.scales
            scaled: list[float | None] = [number * scale for number, scale in zip(numbers, scales, strict=True)]
            log.segments.state(segment, shape.layout, scaled, None, line)
        return match.end()

    def _fall_back(
        self, buffer: bytes, limit: int, base: int, line: int, start: int, consumed: int, log: ScannedLog,
        columns: RecordColumns,
    ) -> tuple[int, Group | None]:  # fmt: skip
        begin = _subline_start(buffer, consumed, start)
        cut = _CUTS.search(buffer, start, limit)
        end = cut.start() if cut else limit
        pieces = Pieces(phase=log.phase)
        self.reader.read_subline(buffer, begin, end, line, base, pieces)
        log.phase = pieces.phase
        self.keep(pieces, log, columns)
        learned = None
        if len(pieces.rows) == 1 and pieces.pieces == 1 and self.reader.last_template is not None:
            row = pieces.rows[0]
            learned = self._learner.learn(row, self.reader.last_template, buffer[row.byte_offset - base : end])
        return end, learned

    def keep(self, pieces: Pieces, log: ScannedLog, columns: RecordColumns) -> None:
        """Adds what a reader found in a part of a log."""
        log.pieces += pieces.pieces
        log.records += len(pieces.rows)
        log.ignored.update(pieces.ignored)
        log.rejects += pieces.rejects
        log.files += pieces.files
        for row in pieces.rows:
            log.notes += row.note is not None
            log.segments.add(row, self.format)
            columns.add(row)


def _position(hit: Hit) -> int:
    return hit[0]


def _insert(waiting: list[Hit], hit: Hit) -> None:
    # A handful of groups at most: a linear insert beats a heap.
    index = len(waiting)
    while index and waiting[index - 1][0] < hit[0]:
        index -= 1
    waiting.insert(index, hit)


def _subline_start(buffer: bytes, consumed: int, start: int) -> int:
    # Both searches stop at `consumed`: each byte of a log is looked back over once.
    if start == consumed or buffer[start - 1] in b"\r\n":
        return start
    newline = buffer.rfind(b"\n", consumed, start)
    carriage = (
        buffer.rfind(b"\r", max(consumed, newline), start) if newline >= 0 else buffer.rfind(b"\r", consumed, start)
    )
    last = max(newline, carriage)
    return last + 1 if last >= 0 else consumed
