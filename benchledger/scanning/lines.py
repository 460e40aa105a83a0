"""The reference reader of line formats: slow, plain, and what the native scanner must equal."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from benchledger.definitions.log_format import COLUMNS, LogFormat, PairsStyle, Pick, RecordDefinition
from benchledger.definitions.phases import CURRENT, Mode
from benchledger.definitions.template import Hole, Template, needs_anchor
from benchledger.scanning import rows
from benchledger.scanning.json_values import column_value, pairs_of, selects
from benchledger.scanning.layout import Layout, Layouts
from benchledger.scanning.leads import LeadReader
from benchledger.scanning.patterns import compiled, head_pattern, whole_pattern
from benchledger.scanning.rows import Pair, Pieces, Refused, RejectedPiece, Row
from benchledger.scanning.values import (
    ANSI,
    PairsReader,
    decode,
    goes_on,
    refuse_cut,
    to_number,
    to_seconds,
    to_stamp,
    to_time,
    to_unix_time,
    to_whole,
)

_CUTS = re.compile(rb"[\r\n]")
_LINES = re.compile(rb"[^\s][^\r\n]*+")
_LAST_NUMBER = re.compile(r"[0-9]+\Z")
# A line begins behind a rank's prefix too (`[1,0]<stdout>:`, `0: `, `[default0]:`), behind that of a container
# (`[pod/trainer-0/main] `) or of a time (`2024-01-01T00:00:00.123456789Z `, `2024-01-01 00:00:00,123 `), and behind a
# colour. A shell's trace (`set -x`) puts `+ ` before a command.
_COLOURS = rb"|".join(
    rb"(?<=" + begin + rb"\x1b\[" + digits + rb"m)"
    for begin in (rb"[\r\n]", rb"\A")
    for digits in (rb"[0-9]", rb"[0-9]{2}")
)
_PREFIXES = (
    rb"(?<=[>\]]:)|(?<=[0-9]:)(?![0-9])|(?<=[>\]0-9]: )|(?<=\] )"
    rb"|(?<=[0-9]Z )|(?<=:[0-9]{2} )|(?<=:[0-9]{2}[.,][0-9]{3} )|(?<=:[0-9]{2}[.,][0-9]{6} )"
    rb"|(?<=\A\+ )|(?<=[\r\n>\]:]\+ )|(?<=[>\]:] \+ )"
)
_LINE_START = rb"(?:(?<![^\r\n])|" + _PREFIXES + rb"|" + _COLOURS + rb")"
# The letter that ends a colour is none of a word: `ESC[0mbatch_size: 2`. A regex looks back a known length only.
_COLOURED = b"|".join(rb"(?<=\x1b\[[0-9;]{%d}[mK])" % length for length in range(9))
_WORD_START = rb"(?:(?<![A-Za-z0-9_])|(?<=[mK])(?:" + _COLOURED + rb"))"
_LOOKS_BACK = re.compile(rb"(\(\?<[=!](?:[^()\\]|\\.)*+)\)")
# Lines without a time repeat from log to log: what they hold is remembered.
_REMEMBERED_BYTES = 200
_REMEMBERED = 4096


# Regexes are compiled when a line asks for them: a log needs few of its format's, and beside the native scanner fewer.


@dataclass(frozen=True)
class _Matcher:
    record: RecordDefinition
    template: Template
    first: bytes
    holes: tuple[Hole, ...]

    @cached_property
    def pattern(self) -> re.Pattern[bytes]:
        return compiled(whole_pattern(self.template))


@dataclass(frozen=True)
class _Ignore:
    reason: str
    template: Template
    first: bytes

    @cached_property
    def pattern(self) -> re.Pattern[bytes]:
        return compiled(whole_pattern(self.template))


def _any_of(patterns: list[bytes]) -> re.Pattern[bytes] | None:
    different = dict.fromkeys(patterns)
    return compiled(b"|".join(b"(?:" + pattern + b")" for pattern in different)) if different else None


class LineReader:
    """Reads the lines of one format. A sub-line is what stands between two of `\\n` and `\\r`."""

    def __init__(self, log_format: LogFormat) -> None:
        self.format = log_format
        self.layouts = Layouts(log_format)
        self.leads = LeadReader()
        self._matchers = [
            _Matcher(record, template, template.first_literal, template.holes)
            for record in log_format.records
            for template in record.templates
        ]
        self._ignores = [
            _Ignore(ignore.reason, template, template.first_literal)
            for ignore in log_format.ignores
            for template in ignore.templates
        ]
        templates = [matcher.template for matcher in self._matchers]
        templates += [template for ignore in log_format.ignores for template in ignore.templates]
        words = {template for record in log_format.records if record.word_start for template in record.templates}
        lines = {template for record in log_format.records if record.line_start for template in record.templates}
        self._starts = {template: _LINE_START if template in lines else _WORD_START for template in words | lines}
        # Those that begin with a hole, or whose anchor finds them.
        self._templates = templates
        self._at_lines = {one for one in lines if needs_anchor(one, log_format.anchors)}
        self._anchors = tuple(anchor.encode() for anchor in log_format.anchors)
        self._line_anchors = tuple(
            anchor for anchor in self._anchors if any(anchor in template.source.encode() for template in lines)
        )
        self._pairs_readers: dict[PairsStyle, PairsReader] = {}
        literals = (template.first_literal for template in templates)
        self.first_literals = list(dict.fromkeys(literal for literal in literals if literal))
        # Which templates and ignores took something: `bench formats check` asks for all.
        self.reached: set[tuple[str, str]] = set()
        self._remembered: dict[bytes, tuple[Row, _Matcher]] = {}
        self._last_json: tuple[bytes, Any, bytes] | None = None

    @cached_property
    def _head(self) -> re.Pattern[bytes] | None:
        return _any_of([self._head_pattern(template) for template in self._templates])

    @cached_property
    def _plain_head(self) -> re.Pattern[bytes] | None:
        # Where a record may begin with a hole, each place of a line is tried: only in lines with its anchor.
        if not self._at_lines:
            return self._head
        plain = [template for template in self._templates if template not in self._at_lines]
        return _any_of([self._head_pattern(template) for template in plain])

    def _head_pattern(self, template: Template) -> bytes:
        start, head = self._starts.get(template, b""), head_pattern(template)
        if not start or not template.first_literal:
            return start + head
        # Behind its first letter: `re` passes over text only if each alternative begins with a letter.
        letter = head[: 2 if head.startswith(b"\\") else 1]
        return letter + _LOOKS_BACK.sub(lambda look: look[1] + letter + b")", start) + head[len(letter) :]

    def read(self, log: bytes) -> Pieces:
        """Everything in a log. Line numbers count `\\n` only; offsets are those of the raw bytes."""
        pieces = Pieces()
        line, start = 1, 0
        while start < len(log):
            cut = _CUTS.search(log, start)
            end = cut.start() if cut else len(log)
            if end > start:
                self.read_subline(log, start, end, line, 0, pieces)
            line += cut is not None and cut.group(0) == b"\n"
            start = end + 1
        return pieces

    def concerns(self, text: bytes) -> bool:
        """Whether a record or an anchor of the format stands anywhere in a text."""
        return any(anchor in text for anchor in self._anchors) or bool(self._head and self._head.search(text))

    def holds_only_records(self, log: bytes) -> bool:
        """Whether each line of a log is one record from its start to its end, or blank."""
        pieces = self.read(log)
        starts = [match.start() for match in _LINES.finditer(log)]
        return [row.byte_offset for row in pieces.rows] == starts and not any(row.note for row in pieces.rows)

    def read_subline(self, log: bytes, start: int, end: int, line: int, base: int, pieces: Pieces) -> None:
        """Adds what stands in log[start:end], a part of line `line`; `base` is the offset of log[0] in the file."""
        text = log[start:end] if end - start <= _REMEMBERED_BYTES else None
        if text is not None and (known := self._remembered.get(text)) is not None:
            pieces.pieces += 1
            self._keep(*known, b"", line, base + start, pieces)
            return
        anchored = any(log.find(anchor, start, end) >= 0 for anchor in self._line_anchors)
        pattern = self._head if anchored else self._plain_head
        heads = [match.start() for match in pattern.finditer(log, start, end)] if pattern else []
        if not heads:
            if any(log.find(anchor, start, end) >= 0 for anchor in self._anchors):
                pieces.pieces += 1
                self._reject(pieces, log[start:end], line, base + start, None, rows.NO_HEAD)
            return
        pieces.pieces += len(heads)
        lead = log[start : heads[0]]
        for head, next_head in zip(heads, [*heads[1:], end], strict=True):
            found = self._piece(log[head:next_head], lead, line, base + head, pieces)
            lead = b""
        if text is not None and heads == [start] and found is not None and not _is_of_its_place(found[1].record):
            if len(self._remembered) >= _REMEMBERED:
                self._remembered.clear()
            self._remembered[text] = found

    def _piece(self, piece: bytes, lead: bytes, line: int, offset: int, pieces: Pieces) -> tuple[Row, _Matcher] | None:
        if len(piece) > rows.PIECE_LIMIT:
            self._reject(pieces, piece, line, offset, None, rows.TOO_LONG)
            return None
        raw = piece
        if b"\x1b" in piece:
            piece = ANSI.sub(b"", piece)
        refused: tuple[str, str] | None = None
        for matcher in self._matchers:
            if not piece.startswith(matcher.first):
                continue
            match = matcher.pattern.match(piece)
            if match is None:
                continue
            try:
                row = self._row(matcher, match, piece, pieces)
            except Refused as error:
                refused = refused or (matcher.record.name, str(error))
                continue
            if row is None:
                continue
            self._keep(row, matcher, lead, line, offset, pieces)
            return row, matcher
        for ignore in self._ignores:
            if piece.startswith(ignore.first) and ignore.pattern.match(piece):
                self.reached.add((ignore.reason, ignore.template.source))
                pieces.ignored[ignore.reason] += 1
                return None
        record, why = refused or (None, rows.NO_TEMPLATE)
        self._reject(pieces, raw, line, offset, record, why)
        return None

    def _keep(self, found: Row, matcher: _Matcher, lead: bytes, line: int, offset: int, pieces: Pieces) -> None:
        columns, unknown = self.leads.read(lead)
        pieces.phase = _begun(matcher.record.begins_phase, found) or pieces.phase
        pieces.scope = matcher.record.begins_scope or pieces.scope
        self.reached.add((matcher.record.name, matcher.template.source))
        pieces.rows.append(
            Row(
                found.layout, line, offset, {**columns, **found.columns}, found.values, found.texts, unknown, found.note
            )
        )

    def _reject(self, pieces: Pieces, piece: bytes, line: int, offset: int, record: str | None, reason: str) -> None:
        text = decode(piece[: rows.REJECT_TEXT_LIMIT])
        pieces.rejects.append(RejectedPiece(line, offset, record, reason, text))

    def _row(self, matcher: _Matcher, match: re.Match[bytes], piece: bytes, pieces: Pieces) -> Row | None:
        columns: dict[str, Any] = {}
        found: list[Pair] = []
        for hole, raw in zip(matcher.holes, match.groups(), strict=True):
            value = _hole_value(hole.type, raw)
            if hole.name in COLUMNS:
                columns[hole.name] = column_value(hole.name, value)
            elif isinstance(value, int | float | None):
                found.append(
                    (
                        hole.name,
                        None if value is None else float(value),
                        None,
                        "s" if hole.type in ("duration", "stamp") else None,
                    )
                )
            else:
                # A line that is a record from its start on may be indented.
                found.append((hole.name, None, decode(raw.strip() if matcher.record.line_start else raw), None))
        note = b""
        if matcher.template.tail == "pairs":
            assert matcher.record.pairs is not None
            pairs, note = self._pairs(matcher.record, matcher.record.pairs, piece[match.end() :])
            if not pairs and note:
                return None
            found += pairs if matcher.record.pick is None else _picked(matcher.record.pick, found, pairs)
        elif matcher.template.tail == "json":
            json_pairs, note = self._json(matcher.record, piece[match.end() :], columns)
            if json_pairs is None:
                return None
            found += json_pairs
        found = self._expanded(matcher.record, found)
        layout = self.layout_of(matcher.record, [(pair[0], pair[3]) for pair in found], pieces.phase, pieces.scope)
        values = [
            None if pair[1] is None else pair[1] * scale for pair, scale in zip(found, layout.scales, strict=False)
        ]
        texts = [pair[2] for pair in found]
        has_text = any(text is not None for text in texts)
        return Row(layout, 0, 0, columns, values or [None], texts if has_text else None, None, decode(note) or None)

    def layout_of(
        self, record: RecordDefinition, named: list[tuple[str, str | None]], phase: str, scope: str | None = None
    ) -> Layout:
        """The layout of a record with these value names and logged units, in this phase and scope of the log."""
        if record.phase == CURRENT:
            record = replace(record, phase=phase)
        if record.scope == CURRENT:
            record = replace(record, scope=scope)
        return self.layouts.get(record, tuple(name for name, _ in named), tuple(unit for _, unit in named))

    def _pairs(self, record: RecordDefinition, style: PairsStyle, tail: bytes) -> tuple[list[Pair], bytes]:
        if style not in self._pairs_readers:
            self._pairs_readers[style] = PairsReader(style, self.layouts.unit_tokens)
        pairs, note = self._pairs_readers[style].read(tail)
        refuse_cut(self.layouts, record, pairs)
        return pairs, note

    def _expanded(self, record: RecordDefinition, found: list[Pair]) -> list[Pair]:
        result: list[Pair] = []
        for pair in found:
            field = self.format.field_of(record.name, pair[0])
            if field is not None and field.expand is not None and pair[2] is not None:
                _, after, inner = pair[2].partition(field.expand.after)
                if after:
                    result += self._pairs(record, field.expand.style, inner.encode())[0]
                    continue
            result.append(pair)
        return result

    def _json(self, record: RecordDefinition, tail: bytes, columns: dict[str, Any]) -> tuple[list[Pair] | None, bytes]:
        assert record.json is not None
        data, rest = self._parsed(tail)
        pairs = None
        if selects(record.json, data):
            pairs = pairs_of(record.json, data, columns)
        return pairs, b"" if pairs is None else rest

    def _parsed(self, tail: bytes) -> tuple[Any, bytes]:
        # Several records may ask for the same line, one after the other.
        if self._last_json is None or self._last_json[0] != tail:
            text = tail.decode("utf-8", "backslashreplace").lstrip()
            try:
                data, end = json.JSONDecoder().raw_decode(text)
            except (ValueError, RecursionError):
                raise Refused(rows.BAD_JSON) from None
            if goes_on(text[end:].encode("utf-8", "backslashreplace")):
                raise Refused(rows.BAD_JSON)
            self._last_json = (tail, data, text[end:].strip().encode())
        return self._last_json[1], self._last_json[2]


def _is_of_its_place(record: RecordDefinition) -> bool:
    return CURRENT in (record.phase, record.scope)


def _begun(begins: str | Mode | None, row: Row) -> str | None:
    if not isinstance(begins, Mode):
        return begins
    # Of several the last holds, as of an option given twice. A number is a mode that nobody knows, `None` is no mode.
    texts = row.texts or [None] * len(row.values)
    stated = [
        str(number) if text is None else text
        for value, number, text in zip(row.layout.values, row.values, texts, strict=True)
        if value.name == begins.source and (text is not None or number is not None)
    ]
    return begins.phase_of(stated[-1]) if stated else None


def _picked(pick: Pick, holes: list[Pair], pairs: list[Pair]) -> list[Pair]:
    text = next(pair[2] for pair in holes if pair[0] == pick.hole)
    number = _LAST_NUMBER.search(text or "")
    own = [pair for pair in pairs if number is not None and pair[0] == number.group(0)]
    if not own:
        raise Refused(rows.NO_OWN)
    return [(pick.name, *own[-1][1:])]


def _hole_value(kind: str, raw: bytes) -> Any:
    if kind == "float":
        return to_number(raw)
    if kind in ("int", "int,"):
        return to_whole(raw)
    if kind == "time":
        time = to_time(raw)
        if time is None:
            raise Refused(rows.BAD_TIME)
        return time
    if kind == "stamp":
        seconds = to_stamp(raw)
        if seconds is None:
            raise Refused(rows.BAD_TIME)
        return seconds
    if kind == "unix":
        return to_unix_time(raw)
    if kind == "duration":
        return to_seconds(raw)
    return decode(raw)
