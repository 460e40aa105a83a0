"""Reads one record of a line: the values of its template's holes, and the list or JSON object at its end."""

from __future__ import annotations

import json
import operator
import re
from dataclasses import replace
from typing import Any

from benchledger.definitions.log_format import COLUMNS, LogFormat, PairsStyle, RecordDefinition
from benchledger.definitions.template import LIST, Template
from benchledger.definitions.vocabulary import CURRENT
from benchledger.scanning import rows
from benchledger.scanning.json_values import column_value, pairs_of, selects, unique, whole
from benchledger.scanning.layout import Layout, Layouts
from benchledger.scanning.pairs_reader import PairsReader
from benchledger.scanning.rows import Columns, Pair, Pieces, Refused, Row, exact, row_of
from benchledger.scanning.values import decode, goes_on, hole_value, refuse_cut

_DECODER = json.JSONDecoder(object_pairs_hook=unique, parse_float=exact, parse_int=whole)
_LAST_NUMBER = re.compile(r"[0-9]+\Z")


class RecordReader:
    """Reads the records of one format from pieces of lines that match a template."""

    def __init__(self, log_format: LogFormat) -> None:
        self._format = log_format
        self.layouts = Layouts(log_format)
        self._pairs_readers: dict[PairsStyle, PairsReader] = {}
        self._last_json: tuple[bytes, Any, bytes] | None = None

    def read(
        self, record: RecordDefinition, template: Template, match: re.Match[bytes], piece: bytes, pieces: Pieces
    ) -> Row | None:
        """Returns the row of a piece that matches a template, without its place; None if its tail does not fit.

        Raises Refused for a value that cannot be stored.
        """
        columns: Columns = {}
        found = _hole_pairs(template, match, columns)
        note = b""
        lists, notes = self._lists(record, template, match)
        found += lists
        if template.tail == "pairs":
            assert record.pairs is not None
            pairs, note = self._pairs(record, record.pairs, piece[match.end() :])
            if not pairs and note:
                return None
            found += pairs if record.pick is None else _picked(*record.pick, found, pairs)
            lists += pairs
        elif template.tail == "json":
            json_pairs, note = self._json(record, piece[match.end() :], columns)
            if json_pairs is None:
                return None
            found += json_pairs
        if record.keys and not set(record.keys) <= {pair[0] for pair in lists}:
            return None
        found = self._expanded(record, found)
        layout = self.layout_of(record, [(pair[0], pair[3]) for pair in found], pieces.phase, pieces.scope)
        row = row_of(layout, found, columns, (0, 0), operator.mul)
        row.note = decode(b" ".join(filter(None, [*notes, note]))) or None
        return row

    def layout_of(
        self, record: RecordDefinition, named: list[tuple[str, str | None]], phase: str, scope: str | None = None
    ) -> Layout:
        """Returns the layout of a record with these value names and logged units, in this phase and scope."""
        if record.phase == CURRENT:
            record = replace(record, phase=phase)
        if record.scope == CURRENT:
            record = replace(record, scope=scope)
        return self.layouts.get(record, tuple(name for name, _ in named), tuple(unit for _, unit in named))

    def _lists(
        self, record: RecordDefinition, template: Template, match: re.Match[bytes]
    ) -> tuple[list[Pair], list[bytes]]:
        # The lists before the end of the template, and what is left of each.
        lists: list[Pair] = []
        notes: list[bytes] = []
        for hole, raw in zip(template.holes, match.groups(), strict=True):
            if hole.type == LIST and record.pairs is not None and not raw.isspace():
                pairs, note = self._pairs(record, replace(record.pairs, end=None), raw)
                lists += pairs
                notes.append(note)
        return lists, notes

    def _pairs(self, record: RecordDefinition, style: PairsStyle, tail: bytes) -> tuple[list[Pair], bytes]:
        if style not in self._pairs_readers:
            self._pairs_readers[style] = PairsReader(style, self.layouts.unit_tokens)
        pairs, note = self._pairs_readers[style].read(tail)
        refuse_cut(self.layouts, record, pairs)
        return pairs, note

    def _expanded(self, record: RecordDefinition, found: list[Pair]) -> list[Pair]:
        result: list[Pair] = []
        for pair in found:
            field = self._format.field_of(record.name, pair[0])
            if field is not None and field.expand is not None and pair[2] is not None:
                _, after, inner = pair[2].partition(field.expand.after)
                if after:
                    result += self._pairs(record, field.expand.style, inner.encode())[0]
                    continue
            result.append(pair)
        return result

    def _json(self, record: RecordDefinition, tail: bytes, columns: Columns) -> tuple[list[Pair] | None, bytes]:
        assert record.json is not None
        data, rest = self._parsed(tail)
        pairs = pairs_of(record.json, data, columns) if selects(record.json, data) else None
        return pairs, b"" if pairs is None else rest

    def _parsed(self, tail: bytes) -> tuple[Any, bytes]:
        # Several records may try the same object, one after the other.
        if self._last_json is None or self._last_json[0] != tail:
            text = tail.decode("utf-8", "backslashreplace").lstrip()
            try:
                data, end = _DECODER.raw_decode(text)
            except (ValueError, RecursionError):
                raise Refused(rows.BAD_JSON) from None
            if goes_on(text[end:].encode("utf-8", "backslashreplace")):
                raise Refused(rows.BAD_JSON)
            self._last_json = (tail, data, text[end:].strip().encode())
        return self._last_json[1], self._last_json[2]


def _hole_pairs(template: Template, match: re.Match[bytes], columns: Columns) -> list[Pair]:
    # The values of the holes; those that are columns go into `columns`.
    found: list[Pair] = []
    for hole, raw in zip(template.holes, match.groups(), strict=True):
        if hole.type == LIST:
            continue
        value = hole_value(hole.type, raw)
        if value is None and hole.type in ("time", "stamp", "duration"):
            raise Refused(rows.BAD_TIME)
        if hole.name in COLUMNS:
            columns[hole.name] = column_value(hole.name, value)
        elif isinstance(value, int | float | None):
            unit = "s" if hole.type in ("duration", "stamp") else None
            found.append((hole.name, None if value is None else float(value), None, unit))
        else:
            # The first value of a line may be indented, and blanks may follow the last one.
            found.append((hole.name, None, decode(raw.strip()), None))
    return found


def _picked(hole: str, name: str, holes: list[Pair], pairs: list[Pair]) -> list[Pair]:
    number = _LAST_NUMBER.search(next(pair[2] for pair in holes if pair[0] == hole) or "")
    own = [pair for pair in pairs if number and pair[0] == number.group(0)]
    if not own:
        raise Refused(rows.NO_OWN)
    return [(name, *own[-1][1:])]
