"""Reads logs whose lines name their values, if no other format is recognised: JSON, dicts of Python, or CSV.

A false detection is worse than a miss: most lines must have a step or epoch and a known quantity of training.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice, pairwise
from typing import Any

from benchledger.definitions.log_format import LogFormat, RecordDefinition
from benchledger.scanning import rows
from benchledger.scanning.csv_rows import cells_of
from benchledger.scanning.file_reader import NUMBER_CELL, THOUSANDS, FileReader, lines_of, pair_of, reject
from benchledger.scanning.json_values import flat_pairs
from benchledger.scanning.layout import NamedLayouts
from benchledger.scanning.line_labels import LineLabels
from benchledger.scanning.object_lines import NOT_FINITE, dict_line, json_line
from benchledger.scanning.rows import Columns, Pair, Pieces, Place, Refused, exact, make_row
from benchledger.scanning.unread import is_measurement
from benchledger.scanning.values import LARGEST, refuse_cut

# What a recognised log has at least, over the lines that are looked at.
_LINES_TRIED = 2_000
_FIRST_TRIED = 20
# Two JSON or dict lines are enough, since each names its values; a CSV needs three rows below its header.
_LEAST_TELLING = {"json": 2, "dict": 2, "csv": 3}
_TELLING_SHARE = 0.25
_KNOWN_SHARE = 0.75
_ORDERED_SHARE = 0.9
_OBJECT_SHARE = {"json": 0.5, "dict": 0.5, "csv": 0.75}
# A training prints few words; a data set and a table of results have other ones in each row.
_MOST_WORDS = 2
# A larger number is seconds since 1970.
_MOST_EPOCHS = 1_000_000
# They tell a training by themselves; the others only beside another quantity.
_TELLING = frozenset({"loss", "perplexity"})
_HALF_TELLING = frozenset({"learning_rate", "throughput"})

_NO_WORDS = re.compile(r"[-+.0-9\[({]|(?:nan|inf|none|null|true|false)?\Z", re.IGNORECASE)
_TIMES = re.compile(r"time|date|eta", re.IGNORECASE)
_WHOLE = re.compile(r"[0-9]{1,18}\Z")
_OPENS = {"json": b"{", "dict": b"{'", "csv": b""}
# The most lines before the first object of an excerpt, such as the rest of a line that was cut.
_LINES_BEFORE = 3


@dataclass
class _Line:
    """One line: its values, or `refused`, the reason why there are none; neither of a line of another kind."""

    place: Place
    text: bytes
    data: dict[str, Any] | None = None
    refused: str | None = None


class SelfDescribingReader(FileReader):
    """Reads the files of one way to write lines."""

    layouts: NamedLayouts

    def __init__(self, log_format: LogFormat) -> None:
        super().__init__(log_format)
        assert log_format.self_describing is not None
        self.definition = log_format.self_describing
        self.layouts = NamedLayouts(log_format, self.definition)
        self.opens = _OPENS[self.definition.lines][:1]
        steps = [record for record in log_format.records if record.kind == "step"]
        # The record of steps that begin anew in each epoch, by the first epoch's number; None: that never do.
        self._steps = {record.first_epoch: record for record in steps}
        self._of_kind = {record.kind: record for record in log_format.records if record.kind != "step"}
        self._header: list[str] = []
        self._first_epoch: int | None = None
        self._restarts = self._began = False
        self._labels = LineLabels(self.definition, self.layouts, self.record)

    def fits_late(self, head: bytes, complete: bool) -> str | None:
        """Returns why a file that no other format claims is a log of training, or None."""
        firsts = islice((text.strip() for text, _, _ in lines_of(head, 0, 1) if text.strip()), _LINES_BEFORE + 1)
        if not any(first.startswith(_OPENS[self.definition.lines]) for first in firsts):
            return None
        if not complete:
            head = head[: head.rfind(b"\n") + 1]
        if self.definition.lines == "csv" and not self._is_header(head):
            return None
        self._header, self._restarts = [], False
        lines: list[_Line] = []
        for line in islice(self._lines(head, 0, 1), _LINES_TRIED):
            lines.append(line)
            if len(lines) == _FIRST_TRIED and not self._are_objects(lines):
                return None
        self._labels.learn(line.data for line in lines if line.data)
        return self._why(lines) if self._are_objects(lines) else None

    def begin(self, head: bytes) -> None:
        """Finds in the beginning of a file how its lines differ, and whether its steps begin anew in each epoch."""
        self._header, self._began, self._restarts = [], False, False
        lines = self._lines(head, 0, 1)
        first = list(islice(lines, _LINES_TRIED))
        self._labels.learn(line.data for line in first if line.data)
        places = [
            (columns["epoch"], columns["step"])
            for line in chain(first, lines)
            if line.data and self._labels.phase_of(line.data) is None
            for columns in [self._columns(line.data)[0]]
            if isinstance(columns.get("epoch"), int) and isinstance(columns.get("step"), int)
        ]
        self._restarts = any(later[0] > one[0] and later[1] <= one[1] for one, later in pairwise(places))  # type: ignore[operator]
        self._first_epoch = places[0][0] if self._restarts else None  # type: ignore[assignment]
        self._header = []

    def read(self, buffer: bytes, base: int, line: int, pieces: Pieces) -> int:
        """Adds the records of a buffer of whole lines; returns the line after it."""
        for one in self._lines(buffer, base, line):
            if one.data is not None:
                try:
                    self._add(one, pieces)
                    continue
                except (Refused, RecursionError) as error:
                    one.refused = str(error) if isinstance(error, Refused) else rows.BAD_JSON
            if one.refused is not None:
                reject(pieces, *one.place, None, one.refused, one.text)
            elif is_measurement(one.text):
                pieces.pieces += 1
                pieces.unread.append((one.place[0], one.text))
        return line + buffer.count(b"\n")

    def _lines(self, buffer: bytes, base: int, line: int) -> Iterator[_Line]:
        parse = {"json": json_line, "dict": dict_line, "csv": self._csv_line}[self.definition.lines]
        for text, number, offset in lines_of(buffer, base, line):
            stripped = text.strip(b" \t\r")
            if not stripped:
                continue
            found = _Line((number, offset), stripped)
            if len(stripped) > rows.PIECE_LIMIT:
                found.refused = rows.TOO_LONG
            else:
                try:
                    found.data = parse(stripped)
                except Refused as error:
                    found.refused = str(error)
            # The header of a CSV file, and a row of empty cells, have no values.
            if found.data != {}:
                yield found

    def _csv_line(self, text: bytes) -> dict[str, Any]:
        cells = cells_of(text)
        # A resumed run that appends to its file writes a header again, maybe of other columns.
        if not self._header or (cells and _NO_WORDS.match(cells[0]) is None and self._are_names(cells)):
            self._header = cells
        if cells == self._header:
            return {}
        if len(cells) != len(self._header):
            raise Refused(rows.CUT_ROW)
        # An empty cell is a value that this line does not have.
        return {name: cell for name, cell in zip(self._header, cells, strict=True) if cell}

    def _is_header(self, head: bytes) -> bool:
        begin = head.lstrip()
        return self._are_names(cells_of(begin[: begin.find(b"\n")]))

    def _are_names(self, names: list[str]) -> bool:
        return (
            len(names) > 1
            and len({name.lower() for name in names}) == len(names)
            and all(name and _NO_WORDS.match(name) is None for name in names)
            and any(name.lower() in self.definition.columns for name in names)
        )

    def _are_objects(self, lines: list[_Line]) -> bool:
        objects, kind = sum(line.data is not None for line in lines), self.definition.lines
        return objects >= max(_LEAST_TELLING[kind], _OBJECT_SHARE[kind] * len(lines))

    def _why(self, lines: list[_Line]) -> str | None:
        telling = known = objects = 0
        places: list[tuple[float, float]] = []
        words: defaultdict[str, set[str]] = defaultdict(set)
        shown = ""
        for line in lines:
            if line.data is None:
                continue
            objects += 1
            for name, value in line.data.items():
                if isinstance(value, str) and not self._may_vary(name, value):
                    words[name].add(value)
            try:
                columns, pairs, fraction = self._values(line.data)
            except (Refused, RecursionError):
                continue
            epoch = columns.get("epoch", fraction)
            place = [float(at) for at in (epoch, columns.get("step")) if isinstance(at, int | float)]
            if not place or (isinstance(epoch, int | float) and epoch > _MOST_EPOCHS):
                continue
            fields = {pair[0]: self.layouts.field_of(self.record, pair[0]) for pair in pairs if pair[1] is not None}
            quantities = {field.quantity: name for name, field in fields.items() if field and field.quantity}
            known += bool(quantities)
            if _TELLING & set(quantities) or (_HALF_TELLING & set(quantities) and len(quantities) > 1):
                telling += 1
                # An evaluation counts its own steps.
                if self._labels.phase_of(line.data) is None:
                    places.append((place[0], place[-1]))
                shown = shown or f"line {line.place[0]} has a step or epoch and {min(quantities.values())!r}"
        ordered = sum(one <= later for one, later in pairwise(places))
        if (
            telling < max(_LEAST_TELLING[self.definition.lines], _TELLING_SHARE * objects)
            or known < _KNOWN_SHARE * objects
        ):
            return None
        if len(set(places)) < 2 or ordered < _ORDERED_SHARE * (len(places) - 1):
            return None
        return None if any(len(texts) > _MOST_WORDS for texts in words.values()) else shown

    def _may_vary(self, name: str, text: str) -> bool:
        return self._labels.is_phase(name, text) or _NO_WORDS.match(text) is not None or _TIMES.search(name) is not None

    def _add(self, line: _Line, pieces: Pieces) -> None:
        assert line.data is not None
        columns, pairs, fraction = self._values(line.data)
        record = self._record_of(line.data, columns, fraction)
        refuse_cut(self.layouts, record, pairs)
        pieces.rows.append(make_row(self.layouts, record, pairs, columns, line.place))
        pieces.pieces += 1

    def _record_of(self, data: dict[str, Any], columns: Columns, fraction: float | None) -> RecordDefinition:
        phase = self._labels.phase_of(data)
        placed = "step" in columns or "epoch" in columns or fraction is not None
        began, self._began = self._began, self._began or placed
        if not placed and not began:
            return self._of_kind["parameter"]
        if phase is None and placed:
            return self._steps.get(self._first_epoch, self._steps[None])
        summary = self._of_kind["summary"]
        return summary if phase is None else replace(summary, phase=phase)

    def _values(self, data: dict[str, Any]) -> tuple[Columns, list[Pair], float | None]:
        # The columns and values of a line, and its epoch as a fraction.
        columns, taken = self._columns(data)
        rest = {name: value for name, value in data.items() if name not in taken}
        if self.definition.lines == "csv":
            pairs = [self._cell(name, cell) for name, cell in rest.items() if cell is not None]
        else:
            pairs = [self._unquoted(pair) for pair in flat_pairs(rest)]
        fractions = [
            number for name, number, _, _ in pairs
            if number is not None and self.definition.columns.get(name.lower()) == "epoch"
        ]  # fmt: skip
        return columns, self._labels.named(data, pairs), fractions[0] if fractions else None

    def _columns(self, data: dict[str, Any]) -> tuple[Columns, set[str]]:
        columns: Columns = {}
        by_name = {name.lower(): name for name in reversed(data)}
        taken = set()
        is_csv = self.definition.lines == "csv"
        for name, column in self.definition.columns.items():
            # Steps that begin anew in epochs of which the first one's number is unknown are no steps of the run.
            untold = column == "step" and self._restarts and self._first_epoch not in self._steps
            if column not in columns and name in by_name and not untold:
                value = data[by_name[name]]
                if is_csv and isinstance(value, str) and THOUSANDS.match(value):
                    value = value.replace(",", "")
                if isinstance(value, str) and _WHOLE.match(value):
                    value = int(value)
                if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < LARGEST:
                    columns[column] = value
                    taken.add(by_name[name])
        return columns, taken

    def _cell(self, name: str, cell: str) -> Pair:
        if NOT_FINITE.match(cell):
            return name, float(cell), None, None
        return pair_of(self.layouts, name, cell)

    def _unquoted(self, pair: Pair) -> Pair:
        # Some programs print the numbers of their measurements as text.
        name, _, text, _ = pair
        if text is None or not self.layouts.is_measured(self.record, name):
            return pair
        if NOT_FINITE.match(text):
            return name, float(text), None, None
        match = NUMBER_CELL.match(text)
        return (name, exact(match.group(1)), None, None) if match and not match.group(2) else pair
