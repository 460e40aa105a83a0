"""Reads files that are one JSON document: an index, a manifest, a trace. Lists are read object by object."""

from __future__ import annotations

import json
import re
from codecs import BOM_UTF8
from typing import Any

from benchledger.definitions.file_maps import JsonMap
from benchledger.definitions.log_format import LogFormat, RecordDefinition
from benchledger.definitions.vocabulary import vocabulary
from benchledger.scanning import rows
from benchledger.scanning.detection import BLOCK
from benchledger.scanning.file_reader import FileReader, reject
from benchledger.scanning.json_values import MISSING, at, pairs_of, selects, values_by_step
from benchledger.scanning.json_walk import LENIENT, BrokenJson, JsonWalk, members_of
from benchledger.scanning.rows import Columns, Pair, Pieces, Place, Refused, make_row, scaled

_BLANK_BYTES = re.compile(rb"\s*")


class JsonReader(FileReader):
    """Reads the documents of one format. A record's place is that of its object, or of its first value's key."""

    whole = True

    def __init__(self, log_format: LogFormat) -> None:
        super().__init__(log_format)
        self.marks = _marks(log_format.keys)
        self.opens = b"" if log_format.embedded else b"{["
        self._whole = [(record, record.json) for record in log_format.records if record.json and not record.json.each]
        self._each: dict[str, list[tuple[RecordDefinition, JsonMap]]] = {}
        for record in log_format.records:
            if record.json and record.json.each:
                self._each.setdefault(record.json.each, []).append((record, record.json))

    def fits(self, head: bytes, complete: bool) -> str | None:
        begin = self.begin_of(head)
        if head[begin : begin + 1] not in (b"{", b"["):
            return None
        start = head[begin : begin + BLOCK]
        for paths in self.format.keys:
            # A cheap search first: most documents are of other formats. A long list may stand before the last key.
            is_near = all(_names(start, key) for key in _keys_of(paths))
            if not is_near and not (complete and all(_names(head, key) for key in _keys_of(paths))):
                continue
            shown = ", ".join(paths)
            if not complete:
                return None if self.format.alone else f"the document names {shown}"
            try:
                text = head[begin:].decode("utf-8", "surrogateescape")
                data = LENIENT.raw_decode(text)[0] if self.format.embedded else json.loads(text, strict=False)
            except (ValueError, RecursionError):
                if self.format.alone or not is_near:
                    return None
                # Within other text, a brace need not begin a document.
                return (
                    None if head[:begin].strip(BOM_UTF8 + b" \t\r\n") else f"the document is no JSON, but names {shown}"
                )
            if self.format.alone and (not isinstance(data, dict) or set(data) != _tops(paths)):
                continue
            if all(at(data, path) is not MISSING for path in paths):
                return f"the document has {shown}"
        return None

    def read(self, buffer: bytes, base: int, line: int, pieces: Pieces) -> int:
        """Adds the records of a document; a document that is not JSON is one reject, at the place of the error."""

        def add_member(path: str, data: Any, place: Place, span: slice, refused: str | None) -> None:
            if isinstance(data, dict) and (found := self._record_of(path, data)) is not None:
                text = walk.text[span][: rows.REJECT_TEXT_LIMIT]
                if refused is None:
                    self._add(*found, data, place, text, pieces)
                else:
                    _reject(pieces, place, found[0], refused, text)

        start = self.begin_of(buffer)
        place = (line + buffer.count(b"\n", 0, start), base + start)
        walk = JsonWalk(buffer[start:], place, self.kind_of, add_member)
        try:
            self._add_document(walk.read(self.format.embedded), walk, pieces)
        except BrokenJson as error:
            at_line, offset = walk.place(error.position)
            begin = offset - base
            reject(pieces, at_line, offset, None, str(error), buffer[begin : begin + rows.REJECT_TEXT_LIMIT])
        return line + buffer.count(b"\n")

    def begin_of(self, text: bytes) -> int:
        """Returns the start of the document: at once, or, if program output may precede it, at the start of a line."""
        start = len(BOM_UTF8) if text.startswith(BOM_UTF8) else 0
        blanks = _BLANK_BYTES.match(text, start, start + BLOCK)
        start = blanks.end() if blanks else start
        if self.format.embedded and text[start : start + 1] not in (b"{", b"["):
            line = text.find(b"\n{", start)
            return line + 1 if line >= 0 else start
        return start

    def kind_of(self, path: str) -> str | None:
        """Returns what a path is: `list` or `members` (an object) of records, an `object` above one, or None."""
        if path in self._each:
            return "list"
        if members_of(path) in self._each:
            return "members"
        below = any(path == "." or each.startswith(f"{path}.") for each in self._each)
        return "object" if below or path == "." else None

    def _record_of(self, path: str, data: Any) -> tuple[RecordDefinition, JsonMap] | None:
        # The first record that selects an object of a list.
        return next((known for known in self._each[path] if selects(known[1], data)), None)

    def _add_document(self, data: Any, walk: JsonWalk, pieces: Pieces) -> None:
        # Every record that selects the document as a whole.
        taken: set[int] = set()
        for record, definition in self._whole:
            if selects(definition, data):
                line, offset = _place_of(definition, walk.places)
                while offset in taken:
                    offset += 1
                taken.add(offset)
                if definition.steps:
                    taken |= self._add_steps(record, definition, data, (line, offset), pieces)
                else:
                    self._add(record, definition, data, (line, offset), walk.text, pieces)

    def _add_steps(
        self, record: RecordDefinition, definition: JsonMap, data: Any, place: Place, pieces: Pieces
    ) -> set[int]:
        # One record per step, each at its own offset, beginning with the document's; returns these offsets.
        line, offset = place
        found = values_by_step(definition, data)
        for number, (step, values) in enumerate(found):
            own, pairs = (line, offset + number), _with_units(values, definition, data)
            try:
                pieces.rows.append(make_row(self.layouts, record, pairs, {"step": step}, own))
                pieces.pieces += 1
            except Refused as error:
                _reject(pieces, own, record, str(error), str(values))
        return set(range(offset, offset + len(found)))

    def _add(
        self, record: RecordDefinition, definition: JsonMap, data: Any, place: Place, text: str, pieces: Pieces
    ) -> None:
        columns: Columns = {}
        try:
            pairs = pairs_of(definition, data, columns)
            if pairs is None:
                raise Refused(f"bad json: the object lacks what record {record.name!r} asks for")
            clock = columns.get("clock_s")
            if definition.time_unit and isinstance(clock, float):
                columns["clock_s"] = scaled(clock, vocabulary().spellings[definition.time_unit][1])
            row = make_row(self.layouts, record, _with_units(pairs, definition, data), columns, place)
        except (Refused, RecursionError) as error:
            reason = str(error) if isinstance(error, Refused) else rows.BAD_JSON
            _reject(pieces, place, record, reason, text)
            return
        pieces.pieces += 1
        pieces.rows.append(row)


def _reject(pieces: Pieces, place: Place, record: RecordDefinition, reason: str, text: str) -> None:
    shown = text[: rows.REJECT_TEXT_LIMIT].encode("utf-8", "surrogateescape")
    reject(pieces, *place, record.name, reason, shown)


def _keys_of(paths: tuple[str, ...]) -> list[str]:
    return [key for path in paths for key in path.split(".") if key != "*" and not key.isdecimal()]


def _marks(keys: tuple[tuple[str, ...], ...]) -> tuple[bytes, ...]:
    # One key of each list; a list without keys may fit every document.
    named = [_keys_of(paths) for paths in keys]
    return tuple({f'"{names[0]}"'.encode() for names in named}) if all(named) else ()


def _tops(paths: tuple[str, ...]) -> set[str]:
    return {path.partition(".")[0] for path in paths}


def _names(text: bytes, key: str) -> bool:
    return re.search(rb'"' + re.escape(key.encode()) + rb'"[ \t\r\n]{0,64}:', text) is not None


def _with_units(pairs: list[Pair], definition: JsonMap, data: Any) -> list[Pair]:
    stated = {name: at(data, path) for name, path in definition.units.items()}
    known = {name: unit for name, unit in stated.items() if isinstance(unit, str)}
    return [(*pair[:3], known.get(pair[0], pair[3])) for pair in pairs]


def _place_of(definition: JsonMap, places: dict[str, Place]) -> Place:
    paths = [definition.values] if isinstance(definition.values, str) else list(definition.values.values())
    return next((places[path] for path in (*paths, ".") if path in places), places["."])
