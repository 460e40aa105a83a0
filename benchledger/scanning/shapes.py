"""Learned shapes: the second time that a line layout is met, one possessive regex is made for the whole line.

The regexes of all shapes that begin with the same literal become one alternation, which runs over the whole buffer;
lines that none of them takes go to the reference reader. Both ways must give the same rows on every input.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from benchledger.definitions.log_format import COLUMNS, CURRENT
from benchledger.definitions.template import Hole, Literal, Template
from benchledger.scanning.layout import Layout
from benchledger.scanning.lines import LineReader
from benchledger.scanning.patterns import NUMBER_END, PADDING, literal_pattern
from benchledger.scanning.rows import Pieces, Row
from benchledger.scanning.values import PairsReader

# Canonical spellings only: what is written otherwise goes to the reference reader, which knows them all.
_INT = rb"(-?+[0-9]{1,15}+)"
_RANK = rb"(-?+[0-9]{1,9}+)"
_FLOAT = rb"(-?+[0-9]{1,17}+(?:\.[0-9]{1,25}+)?+(?:[eE][+-]?+[0-9]{1,2}+)?+)"
_DATE = (
    rb"[12][0-9]{3}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)"
)
_TIME = rb"(" + _DATE + rb" (?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{6})"
_LINE_END = rb"[ \t]{0,64}+(?=[\r\n]|\Z)"
_TRIALS = (b"7", b"-7.5", b"0.25", b"7e-05", b"nan")
_NUMBERS = re.compile(r"-?+[0-9]++(?:\.[0-9]++)?+(?:[eE][+-]?+[0-9]++)?+")
MOST_SHAPES = 200
# After so many lines of one layout in a row that taught nothing, only one in so many is looked at for a shape.
_PATIENCE, _SELDOM = 64, 16
# A literal is searched for by the byte of it that is rarest in a sample, if that is rare enough there.
_SAMPLE = 16_384
_RARE = 512
# Literals that share this much are searched for together.
_COMMON_BYTES = 5


@dataclass(eq=False)
class Shape:
    """One learned line layout. `columns` are (record column, type) of the first groups; the rest are values."""

    layout: Layout
    first: bytes
    rest: bytes
    columns: tuple[tuple[str, str], ...]
    value_order: tuple[int, ...]
    groups: int
    indexes: tuple[int, ...] = ()


@dataclass(eq=False)
class Group:
    """Literals that begin alike, and the shapes that begin with one of them: one search serves them all."""

    prefix: bytes
    literals: tuple[bytes, ...]
    shapes: list[Shape] = field(default_factory=list)
    pattern: re.Pattern[bytes] = field(init=False)
    by_marker: dict[int, Shape] = field(default_factory=dict)
    _rare: int | None = None
    _until_sample: int = 0

    def __post_init__(self) -> None:
        self.compile()

    def compile(self) -> None:
        """One alternation of all shapes, then the literals; an empty group behind each shape says which matched."""
        self.by_marker = {}
        branches, group = [], 1
        for shape in self.shapes:
            shape.indexes = tuple(range(group, group + shape.groups))
            self.by_marker[group + shape.groups] = shape
            group += shape.groups + 1
            branches.append(re.escape(shape.first[len(self.prefix) :]) + shape.rest + b"()")
        branches += [re.escape(literal[len(self.prefix) :]) for literal in self.literals]
        # The common prefix stands in front of the alternation: that is what makes the search fast.
        self.pattern = re.compile(re.escape(self.prefix) + b"(?:" + b"|".join(branches) + b")")

    def search(self, buffer: bytes, start: int, end: int) -> Iterator[re.Match[bytes]]:
        """The matches in buffer[start:end], in order; some may overlap with one before."""
        if self._until_sample <= 0:
            # Another kind of log may come: looked at anew for every 2 MB, and in every large buffer.
            sample = buffer[start : start + _SAMPLE]
            seen, place = min((sample.count(bytes([byte])), place) for place, byte in enumerate(self.prefix))
            self._rare = place if seen * _RARE < len(sample) else None
            self._until_sample = 128 * _SAMPLE
        self._until_sample -= end - start
        if self._rare is not None:
            byte = self.prefix[self._rare : self._rare + 1]
            return _by_rare_byte(self.pattern, buffer, start, end, byte, self._rare)
        return self.pattern.finditer(buffer, start, end)


def _by_rare_byte(
    pattern: re.Pattern[bytes], buffer: bytes, start: int, end: int, byte: bytes, place: int
) -> Iterator[re.Match[bytes]]:
    # One byte is found ten times faster than a literal: worth it while it hardly ever stands elsewhere.
    find, match = buffer.find, pattern.match
    at = find(byte, start + place, end)
    while at >= 0:
        if (found := match(buffer, at - place, end)) is not None:
            yield found
        at = find(byte, at + 1, end)


def _common(one: bytes, other: bytes) -> bytes:
    length = 0
    while one[length : length + 1] == other[length : length + 1] != b"":
        length += 1
    return one[:length]


def _grouped(literals: list[bytes]) -> list[Group]:
    groups: list[Group] = []
    for literal in sorted(literals):
        if groups and len(prefix := _common(groups[-1].prefix, literal)) >= _COMMON_BYTES:
            groups[-1] = Group(prefix, (*groups[-1].literals, literal))
        else:
            groups.append(Group(literal, (literal,)))
    return groups


class Learner:
    """Decides which layouts become shapes. Shapes stay for all logs of one format that a process reads."""

    def __init__(self, reader: LineReader) -> None:
        self._reader = reader
        self._seen: dict[object, int] = {}
        self._vain: dict[tuple[int, str], int] = {}
        self._count = 0
        # A record that begins where its line does is lost to a shape that takes the line before it is seen.
        whole_lines = any(record.line_start for record in reader.format.records)
        # Where a run or a phase begins, and records that depend on what stands before them, are the reader's alone.
        self._unlearned = set(reader.format.run_starts)
        self._unlearned |= {
            record.name
            for record in reader.format.records
            if record.begins_phase or record.word_start or record.phase == CURRENT or whole_lines
        }
        anchors = [anchor.encode() for anchor in reader.format.anchors]
        literals = dict.fromkeys(reader.first_literals)
        for anchor in anchors:
            if not any(anchor.startswith(literal) for literal in literals):
                literals[anchor] = None
        # A literal that begins with another one is met wherever the shorter one is.
        shortest = [
            text for text in literals if not any(text != other and text.startswith(other) for other in literals)
        ]
        self.groups = _grouped(shortest)

    def learn(self, row: Row, template: Template, piece: bytes) -> Group | None:
        """The group that has a new shape now, if this row's line was worth one."""
        record = row.layout.record
        if row.texts is not None or row.note or record.status or record.name in self._unlearned:
            return None
        if self._count >= MOST_SHAPES:
            return None
        place = (row.layout.shape_id, template.source)
        vain = self._vain[place] = self._vain.get(place, 0) + 1
        if vain > _PATIENCE and vain % _SELDOM:
            return None
        shape, key = self._shape(row, template, piece)
        if shape is None:
            return None
        times = self._seen[key] = self._seen.get(key, 0) + 1
        if times != 2 or not self._holds(row, template, piece, shape):
            return None
        for group in self.groups:
            if shape.first.startswith(group.literals):
                group.shapes.append(shape)
                group.compile()
                self._count += 1
                self._vain[place] = 0
                return group
        return None

    def _shape(self, row: Row, template: Template, piece: bytes) -> tuple[Shape | None, object]:
        first = template.first_literal
        pattern = b""
        columns: list[tuple[str, str]] = []
        values: list[int] = []
        groups = 0
        body = template.parts[:-1] if template.tail else template.parts
        for index, part in enumerate(body):
            if isinstance(part, Literal):
                text = literal_pattern(part.text)
                pattern += text[len(re.escape(first)) :] if index == 0 else text
                continue
            if not isinstance(part, Hole) or part.type not in ("int", "float", "time"):
                return None, None
            if part.type == "time" and part.name != "logged_at":
                return None, None
            number = _FLOAT if part.type == "float" else _RANK if part.name == "rank" else _INT
            pattern += _TIME if part.type == "time" else PADDING + number + _end(body, index)
            if part.name in COLUMNS:
                if part.name in ("device", "label") or (part.type == "float" and part.name != "clock_s"):
                    return None, None
                columns.append((part.name, part.type))
                values.append(-1)
            else:
                values.append(sum(1 for value in values if value >= 0))
            groups += 1
        gaps: tuple[bytes, ...] = ()
        if template.tail == "pairs":
            tail = _pairs_tail(self._reader, row, template, piece)
            if tail is None:
                return None, None
            gaps, tail_pattern = tail
            pattern += tail_pattern
            known = sum(1 for value in values if value >= 0)
            values += range(known, known + len(gaps) - 1)
            groups += len(gaps) - 1
        elif template.tail == "json":
            return None, None
        if sum(1 for value in values if value >= 0) != len(row.layout.values):
            return None, None
        shape = Shape(row.layout, first, pattern + _LINE_END, tuple(columns), tuple(values), groups)
        return shape, (row.layout.shape_id, template.source, gaps)

    def _holds(self, row: Row, template: Template, piece: bytes, shape: Shape) -> bool:
        # Other numbers in the same places must still be read by the same template into the same layout: an earlier
        # template with an int hole would take `5` where a later one took `5.0`, one that ends with `: -1` that number.
        whole = re.compile(re.escape(shape.first) + shape.rest)
        match = whole.match(piece)
        if match is None:
            return False
        spans = [match.span(group + 1) for group in range(shape.groups)]
        values = [span for span, value in zip(spans, shape.value_order, strict=True) if value >= 0]
        told = [(trial, [span]) for trial in self._written_before(template) for span in spans]
        for trial, places in [(trial, values) for trial in _TRIALS] + told:
            changed, position = b"", 0
            for start, end in places:
                changed += piece[position:start] + trial
                position = end
            changed += piece[position:]
            if trial != b"nan" and whole.match(changed) is None:
                continue
            pieces = Pieces()
            self._reader.read_subline(changed, 0, len(changed), row.line, 0, pieces)
            if [found.layout for found in pieces.rows] != [row.layout] or self._reader.last_template is not template:
                return False
        return True

    def _written_before(self, template: Template) -> list[bytes]:
        # The numbers that templates which are asked before this one have in their words.
        found: dict[str, None] = {}
        for record in self._reader.format.records:
            for other in record.templates:
                if other is template:
                    return [number.encode() for number in found]
                if other.first_literal.startswith(template.first_literal) or template.first_literal.startswith(
                    other.first_literal
                ):
                    words = (part.text for part in other.parts if isinstance(part, Literal))
                    found |= dict.fromkeys(number for text in words for number in _NUMBERS.findall(text))
        return []


def _pairs_tail(
    reader: LineReader, row: Row, template: Template, piece: bytes
) -> tuple[tuple[bytes, ...], bytes] | None:
    style = row.layout.record.pairs
    tail_start = reader.tail_start(template, piece)
    if style is None or style.end is not None or tail_start is None or b"\x1b" in piece:
        return None
    tail = piece[tail_start:]
    spans: list[tuple[int, int]] = []
    PairsReader(style, reader.layouts.unit_tokens).read(tail, spans)
    number = re.compile(_FLOAT + NUMBER_END)
    if not spans or any(not number.fullmatch(tail, start, end) for start, end in spans):
        return None
    gaps, pattern, position = [], b"", 0
    for start, end in spans:
        gaps.append(tail[position:start])
        pattern += re.escape(tail[position:start]) + _FLOAT
        position = end
    last = tail[position:].rstrip(b" \t")
    gaps.append(last)
    return tuple(gaps), pattern + re.escape(last)


def _end(parts: tuple[object, ...], index: int) -> bytes:
    after = parts[index + 1] if index + 1 < len(parts) else None
    if isinstance(after, Literal) and after.text[:1] in ("/", "."):
        return b""
    return NUMBER_END
