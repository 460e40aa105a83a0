"""The reference reader of line formats: slow and simple. The native scanner must give the same rows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from benchledger.definitions.log_format import LogFormat, RecordDefinition
from benchledger.definitions.template import Template, needs_anchor
from benchledger.definitions.vocabulary import CURRENT, Mode
from benchledger.scanning import rows
from benchledger.scanning.leads import LeadReader
from benchledger.scanning.patterns import compiled, heads_pattern, line_start, whole_pattern, word_start
from benchledger.scanning.record_reader import RecordReader
from benchledger.scanning.rows import Columns, Pieces, Place, Refused, RejectedPiece, Row
from benchledger.scanning.unread import is_measurement
from benchledger.scanning.values import ANSI, decode

_LINE_END = re.compile(rb"[\r\n]")
_LINES = re.compile(rb"[^\r\n]++")
# The time of another process's line behind a word or bracket.
_GLUED_TIME = re.compile(rb"(?<=[A-Za-z%)\]|'\"}])\[?20[0-9]{2}[-/][0-9]{2}[-/][0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}")
# Lines without a time repeat from log to log, so their rows are cached.
_CACHED_BYTES = 200
_CACHED_LINES = 4096


# Regexes are compiled at their first use: a log needs few of its format's, and with the native scanner fewer.
@dataclass(frozen=True)
class _Matcher:
    """A template of a record; of an ignore if `record` is None. `owner` is the record's name or the reason."""

    owner: str
    record: RecordDefinition | None
    template: Template
    first: bytes

    @cached_property
    def pattern(self) -> re.Pattern[bytes]:
        return compiled(whole_pattern(self.template))

    @cached_property
    def is_relative(self) -> bool:
        """Whether phase or scope of the record are those of the records before it."""
        return self.record is not None and CURRENT in (self.record.phase, self.record.scope)


class LineReader:
    """Reads the lines of one format. A sub-line is the text between two of `\\n` and `\\r`."""

    def __init__(self, log_format: LogFormat) -> None:
        self.format = log_format
        self.records = RecordReader(log_format)
        self.leads = LeadReader()
        # Ignores are tried after all records.
        self._matchers = [
            *(_Matcher(one.name, one, template, template.first_literal)
              for one in log_format.records for template in one.templates),
            *(_Matcher(one.reason, None, template, template.first_literal)
              for one in log_format.ignores for template in one.templates),
        ]  # fmt: skip
        words = {template for record in log_format.records if record.word_start for template in record.templates}
        lines = {template for record in log_format.records if record.line_start for template in record.templates}
        self._starts = {template: line_start if template in lines else word_start for template in words | lines}
        # Templates that begin with a hole, or that their anchor finds.
        self._anchored = {one for one in lines if needs_anchor(one, log_format.anchors)}
        self._anchors = tuple(anchor.encode() for anchor in log_format.anchors)
        self._line_anchors = tuple(
            anchor for anchor in self._anchors if any(anchor in template.source.encode() for template in lines)
        )
        self.first_literals = list(dict.fromkeys(matcher.first for matcher in self._matchers if matcher.first))
        # The templates that matched a piece, by owner and source: `bench formats check` requires all.
        self.reached: set[tuple[str, str]] = set()
        self._cache: dict[bytes, tuple[Row, _Matcher]] = {}

    @cached_property
    def _head(self) -> re.Pattern[bytes] | None:
        return self._heads_of([matcher.template for matcher in self._matchers])

    @cached_property
    def _head_without_anchor(self) -> re.Pattern[bytes] | None:
        # A head that begins with a hole is tried at each place of a line: only in lines with its anchor.
        templates = [matcher.template for matcher in self._matchers]
        return self._heads_of([one for one in templates if one not in self._anchored]) if self._anchored else self._head

    def _heads_of(self, templates: list[Template]) -> re.Pattern[bytes] | None:
        return compiled(heads_pattern(templates, self._starts)) if templates else None

    def read(self, log: bytes) -> Pieces:
        """Returns everything in a log. Line numbers count `\\n` only; offsets are those of the raw bytes."""
        pieces = Pieces()
        line, start = 1, 0
        while start < len(log):
            cut = _LINE_END.search(log, start)
            end = cut.start() if cut else len(log)
            if end > start:
                self.read_subline(log, start, end, line, 0, pieces)
            line += cut is not None and cut.group(0) == b"\n"
            start = end + 1
        return pieces

    def concerns(self, text: bytes) -> bool:
        return any(anchor in text for anchor in self._anchors) or bool(self._head and self._head.search(text))

    def holds_only_records(self, log: bytes) -> bool:
        for match in _LINES.finditer(log):
            if match.group(0).isspace():
                continue
            pieces = Pieces()
            self.read_subline(log, match.start(), match.end(), 1, 0, pieces)
            # A record that begins with a number begins with the blanks before it.
            if len(pieces.rows) != 1 or pieces.pieces != 1 or pieces.rows[0].note:
                return False
            if log[match.start() : pieces.rows[0].byte_offset].strip():
                return False
        return True

    def read_subline(self, log: bytes, start: int, end: int, line: int, base: int, pieces: Pieces) -> None:
        """Adds the pieces of log[start:end], a part of line `line`; `base` is the offset of log[0] in the file."""
        text = log[start:end] if end - start <= _CACHED_BYTES else None
        if text is not None and (known := self._cache.get(text)) is not None:
            pieces.pieces += 1
            self._add(*known, b"", (line, base + start), pieces)
            return
        anchored = any(log.find(anchor, start, end) >= 0 for anchor in self._line_anchors)
        pattern = self._head if anchored else self._head_without_anchor
        heads = [match.start() for match in pattern.finditer(log, start, end)] if pattern else []
        if not heads:
            if any(log.find(anchor, start, end) >= 0 for anchor in self._anchors):
                pieces.pieces += 1
                _reject(pieces, log[start:end], (line, base + start), None, rows.NO_HEAD)
            elif is_measurement(log[start:end]):
                pieces.pieces += 1
                pieces.unread.append((line, log[start:end]))
            return
        pieces.pieces += len(heads)
        lead = log[start : heads[0]]
        for head, next_head in zip(heads, [*heads[1:], end], strict=True):
            found = self._read_piece(log[head:next_head], lead, (line, base + head), pieces)
            lead = b""
        if text is not None and heads == [start] and found is not None and not found[1].is_relative:
            if len(self._cache) >= _CACHED_LINES:
                self._cache.clear()
            self._cache[text] = found

    def _read_piece(self, piece: bytes, lead: bytes, place: Place, pieces: Pieces) -> tuple[Row, _Matcher] | None:
        if len(piece) > rows.PIECE_LIMIT:
            _reject(pieces, piece, place, None, rows.TOO_LONG)
            return None
        raw = piece
        if b"\x1b" in piece:
            piece = ANSI.sub(b"", piece)
        matcher, row, refused = self._match(piece, pieces)
        if matcher is None and (glued := _GLUED_TIME.search(piece)):
            matcher, row, _ = self._match(piece[: glued.start()], pieces)
            if row is not None:
                row.note = " ".join(filter(None, [row.note, decode(piece[glued.start() :].strip())]))
        if matcher is None:
            _reject(pieces, raw, place, *(refused or (None, rows.NO_TEMPLATE)))
        elif row is None:
            self.reached.add((matcher.owner, matcher.template.source))
            pieces.ignored[matcher.owner] += 1
        else:
            self._add(row, matcher, lead, place, pieces)
            return row, matcher
        return None

    def _match(self, piece: bytes, pieces: Pieces) -> tuple[_Matcher | None, Row | None, tuple[str, str] | None]:
        # The first template that matches a piece, with its row; else the record and reason of the first refusal.
        refused: tuple[str, str] | None = None
        for matcher in self._matchers:
            match = matcher.pattern.match(piece) if piece.startswith(matcher.first) else None
            if match is None:
                continue
            if matcher.record is None:
                return matcher, None, None
            try:
                row = self.records.read(matcher.record, matcher.template, match, piece, pieces)
            except Refused as error:
                refused = refused or (matcher.owner, str(error))
                continue
            if row is not None:
                return matcher, row, None
        return None, None, refused

    def _add(self, row: Row, matcher: _Matcher, lead: bytes, place: Place, pieces: Pieces) -> None:
        assert matcher.record is not None
        columns, unknown = self.leads.read(lead)
        pieces.phase = _begun_phase(matcher.record.begins_phase, row) or pieces.phase
        pieces.scope = matcher.record.begins_scope or pieces.scope
        self.reached.add((matcher.owner, matcher.template.source))
        both: Columns = {**columns, **row.columns}
        pieces.rows.append(Row(row.layout, *place, both, row.values, row.texts, unknown, row.note))


def _begun_phase(begins: str | Mode | None, row: Row) -> str | None:
    if not isinstance(begins, Mode):
        return begins
    # Of several values the last counts, as of a repeated option. A number is an unknown mode, `None` is no mode.
    texts = row.texts or [None] * len(row.values)
    stated = [
        str(number) if text is None else text
        for value, number, text in zip(row.layout.values, row.values, texts, strict=True)
        if value.name == begins.source and (text is not None or number is not None)
    ]
    return begins.phase_of(stated[-1]) if stated else None


def _reject(pieces: Pieces, piece: bytes, place: Place, record: str | None, reason: str) -> None:
    text = decode(piece[: rows.REJECT_TEXT_LIMIT])
    pieces.rejects.append(RejectedPiece(*place, record, reason, text))
