"""Files that are one JSON document: an index, a manifest, a trace. Lists of records are read object by object."""

from __future__ import annotations

import json
import re
from typing import Any

from benchledger.definitions.log_format import JsonMap, LogFormat, RecordDefinition
from benchledger.definitions.vocabulary import vocabulary
from benchledger.scanning import rows
from benchledger.scanning.detection import BLOCK
from benchledger.scanning.json_values import MISSING, at, pairs_of, selects, values_by_step
from benchledger.scanning.layout import Layouts
from benchledger.scanning.rows import Columns, Pair, Pieces, Place, Refused, RejectedPiece, make_row, scaled
from benchledger.scanning.values import decode

_BOM = b"\xef\xbb\xbf"
_BLANKS = re.compile(r"[ \t\r\n]*")
_BLANK_BYTES = re.compile(rb"\s*")
_NEXT = re.compile(r"[ \t\r\n]*([,\]])[ \t\r\n]*")
# Names of kernels hold whatever they like, control characters too.
_DECODER = json.JSONDecoder(strict=False)
_BAD = rows.BAD_JSON.partition(":")[0]


class _Broken(Exception):
    """The document ends here: what stands at this position is no JSON."""

    def __init__(self, why: str, position: int) -> None:
        super().__init__(f"{_BAD}: {why}")
        self.position = position


class JsonReader:
    """Reads the documents of one format. A record's place is that of its object, or of its first value's key."""

    whole = True

    def __init__(self, log_format: LogFormat) -> None:
        self.format = log_format
        self.layouts = Layouts(log_format)
        # Where nothing stands that its keys begin with, it is not looked at further.
        self.marks = _marks(log_format.keys)
        self.opens = b"" if log_format.embedded else b"{["
        self._whole = [(record, record.json) for record in log_format.records if record.json and not record.json.each]
        self._each: dict[str, list[tuple[RecordDefinition, JsonMap]]] = {}
        for record in log_format.records:
            if record.json and record.json.each:
                self._each.setdefault(record.json.each, []).append((record, record.json))

    def fits(self, head: bytes, complete: bool) -> str | None:
        """Why a document that begins with `head` is of this format: it has the keys of [detect], or names them."""
        begin = self.begin_of(head)
        if head[begin : begin + 1] not in (b"{", b"["):
            return None
        start = head[begin : begin + BLOCK]
        for paths in self.format.keys:
            # A cheap look first: most documents are none of ours.
            if not all(_names(start, key) for key in _keys_of(paths)):
                continue
            shown = ", ".join(paths)
            if not complete:
                return None if self.format.alone else f"the document names {shown}"
            try:
                text = head[begin:].decode("utf-8", "surrogateescape")
                data = _DECODER.raw_decode(text)[0] if self.format.embedded else json.loads(text, strict=False)
            except (ValueError, RecursionError):
                if self.format.alone:
                    return None
                # Amid other text, a brace may begin anything.
                return None if head[:begin].strip(_BOM + b" \t\r\n") else f"the document is no JSON, but names {shown}"
            if self.format.alone and (not isinstance(data, dict) or set(data) != _tops(paths)):
                continue
            if all(at(data, path) is not MISSING for path in paths):
                return f"the document has {shown}"
        return None

    def fits_late(self, head: bytes, complete: bool) -> str | None:  # noqa: ARG002 - a FileReader
        """None: a document is told by its keys."""
        return None

    def begin(self, head: bytes) -> None:
        """Nothing to prepare."""

    def read(self, buffer: bytes, base: int, line: int, pieces: Pieces) -> int:
        """Adds the records of a document; what cannot be read is one reject, at the place where JSON ends."""
        document = _Document(buffer, base, line, self, pieces)
        try:
            document.read()
        except _Broken as error:
            pieces.pieces += 1
            at_line, offset = document.place(error.position)
            text = decode(buffer[offset - base : offset - base + rows.REJECT_TEXT_LIMIT])
            pieces.rejects.append(RejectedPiece(at_line, offset, None, str(error), text))
        return line + buffer.count(b"\n")

    def begin_of(self, text: bytes) -> int:
        """Where the document begins: at once, or, where program output may stand before it, on a line of its own."""
        start = len(_BOM) if text.startswith(_BOM) else 0
        blanks = _BLANK_BYTES.match(text, start, start + BLOCK)
        start = blanks.end() if blanks else start
        if self.format.embedded and text[start : start + 1] not in (b"{", b"["):
            line = text.find(b"\n{", start)
            return line + 1 if line >= 0 else start
        return start

    def wants(self, path: str) -> str | None:
        """`list` if a path is a list of records, `members` if an object of them, `object` if one stands below it."""
        if path in self._each:
            return "list"
        if _members(path) in self._each:
            return "members"
        below = any(path == "." or each.startswith(f"{path}.") for each in self._each)
        return "object" if below or path == "." else None

    def record_of(self, path: str, data: Any) -> tuple[RecordDefinition, JsonMap] | None:
        """The record that an object of a list is: the first one that selects it; others are not ours."""
        return next((known for known in self._each[path] if selects(known[1], data)), None)

    def document(self, data: Any, places: dict[str, Place], text: str, pieces: Pieces) -> None:
        """Adds every record that selects the document as a whole."""
        taken: set[int] = set()
        for record, definition in self._whole:
            if selects(definition, data):
                line, offset = _place_of(definition, places)
                while offset in taken:
                    offset += 1
                taken.add(offset)
                if definition.steps:
                    taken |= self._keep_steps(record, definition, data, (line, offset), pieces)
                else:
                    self.keep(record, definition, data, (line, offset), text, pieces)

    def _keep_steps(
        self, record: RecordDefinition, definition: JsonMap, data: Any, place: Place, pieces: Pieces
    ) -> set[int]:
        """Adds one record a step, each at an offset of its own from the document's on; returns these offsets."""
        line, offset = place
        found = values_by_step(definition, data)
        for number, (step, values) in enumerate(found):
            pieces.pieces += 1
            pairs = _with_units(values, definition, data)
            pieces.rows.append(make_row(self.layouts, record, pairs, {"step": step}, (line, offset + number)))
        return set(range(offset, offset + len(found)))

    def keep(
        self, record: RecordDefinition, definition: JsonMap, data: Any, place: Place, text: str, pieces: Pieces
    ) -> None:
        """Adds the record that an object is, or a reject."""
        pieces.pieces += 1
        columns: Columns = {}
        try:
            pairs = pairs_of(definition, data, columns)
            if pairs is None:
                raise Refused(f"{_BAD}: the object lacks what record {record.name!r} asks for")
        except (Refused, RecursionError) as error:
            reason = str(error) if isinstance(error, Refused) else rows.BAD_JSON
            shown = decode(text[: rows.REJECT_TEXT_LIMIT].encode("utf-8", "surrogateescape"))
            pieces.rejects.append(RejectedPiece(*place, record.name, reason, shown))
            return
        clock = columns.get("clock_s")
        if definition.clock_unit and isinstance(clock, float):
            columns["clock_s"] = scaled(clock, vocabulary().spellings[definition.clock_unit][1])
        pieces.rows.append(make_row(self.layouts, record, _with_units(pairs, definition, data), columns, place))


class _Document:
    """One document while it is read: a walk down to the lists of records; all else is parsed at once."""

    def __init__(self, buffer: bytes, base: int, line: int, reader: JsonReader, pieces: Pieces) -> None:
        start = reader.begin_of(buffer)
        # Bytes that are no UTF-8 survive, and places are told in bytes.
        self._text = buffer[start:].decode("utf-8", "surrogateescape")
        self._ascii = buffer.isascii()
        self._reader, self._pieces = reader, pieces
        self._places: dict[str, Place] = {}
        self._known = (0, line + buffer.count(b"\n", 0, start), base + start)

    def place(self, position: int) -> Place:
        """Line and byte offset of a position; positions are asked for in ascending order."""
        last, line, offset = self._known
        line += self._text.count("\n", last, position)
        between = self._text[last:position]
        offset += position - last if self._ascii else len(between.encode("utf-8", "surrogateescape"))
        self._known = (position, line, offset)
        return line, offset

    def read(self) -> None:
        start = self._past_blanks(0)
        self._places["."] = self.place(start)
        data, end = self._value(start, ".")
        rest = self._past_blanks(end)
        if self._reader.format.embedded and self._text[rest : rest + 1] != "{" and "\n{" not in self._text[rest:]:
            rest = len(self._text)
        if rest < len(self._text):
            raise _Broken("something follows the document", rest)
        self._reader.document(data, self._places, self._text, self._pieces)

    def _past_blanks(self, position: int) -> int:
        match = _BLANKS.match(self._text, position)
        return match.end() if match else position

    def _value(self, start: int, path: str) -> tuple[Any, int]:
        wanted, first = self._reader.wants(path), self._text[start : start + 1]
        if wanted == "list" and first == "[":
            return self._list(start, path)
        if wanted in ("object", "members") and first == "{":
            return self._object(start, path, wanted == "members")
        return self._plain(start)

    def _plain(self, start: int) -> tuple[Any, int]:
        try:
            return _DECODER.raw_decode(self._text, start)
        except json.JSONDecodeError as error:
            raise _Broken(error.msg, error.pos) from None
        except (ValueError, RecursionError):
            # A whole number of more digits than Python reads, or more levels.
            raise _Broken("a number too long, or nested too deep", start) from None

    def _object(self, start: int, path: str, of_records: bool) -> tuple[dict[str, Any], int]:
        found: dict[str, Any] = {}
        position = self._past_blanks(start + 1)
        if self._text[position : position + 1] == "}":
            return found, position + 1
        while True:
            if self._text[position : position + 1] != '"':
                raise _Broken("a key in double quotes should stand here", position)
            key, end = self._plain(position)
            below = key if path == "." else f"{path}.{key}"
            if key in found:
                raise _Broken("the key stands twice", position)
            self._places[below] = self.place(position)
            position = self._expect(":", end)
            if of_records:
                found[key], end = self._plain(position)
                self._keep(_members(path), found[key], self._places[below], position)
            else:
                found[key], end = self._value(position, below)
            position = self._past_blanks(end)
            if self._text[position : position + 1] == "}":
                return found, position + 1
            position = self._expect(",", position)

    def _list(self, start: int, path: str) -> tuple[list[Any], int]:
        position = self._past_blanks(start + 1)
        if self._text[position : position + 1] == "]":
            return [], position + 1
        while True:
            data, end = self._plain(position)
            self._keep(path, data, self.place(position), position)
            mark = _NEXT.match(self._text, end)
            if mark is None:
                raise _Broken("',' should stand here", self._past_blanks(end))
            if mark.group(1) == "]":
                return [], mark.end(1)
            position = mark.end()

    def _keep(self, path: str, data: Any, place: Place, position: int) -> None:
        if isinstance(data, dict) and (found := self._reader.record_of(path, data)) is not None:
            shown = self._text[position : position + rows.REJECT_TEXT_LIMIT]
            self._reader.keep(*found, data, place, shown, self._pieces)

    def _expect(self, mark: str, position: int) -> int:
        position = self._past_blanks(position)
        if self._text[position : position + 1] != mark:
            raise _Broken(f"{mark!r} should stand here", position)
        return self._past_blanks(position + 1)


def _keys_of(paths: tuple[str, ...]) -> list[str]:
    return [key for path in paths for key in path.split(".") if key != "*" and not key.isdecimal()]


def _marks(keys: tuple[tuple[str, ...], ...]) -> tuple[bytes, ...]:
    # One key of each list; a list without any may fit every document.
    named = [_keys_of(paths) for paths in keys]
    return tuple({f'"{names[0]}"'.encode() for names in named}) if all(named) else ()


def _members(path: str) -> str:
    """How `each` names the members of the object at a path."""
    return "*" if path == "." else f"{path}.*"


def _tops(paths: tuple[str, ...]) -> set[str]:
    return {path.partition(".")[0] for path in paths}


def _names(text: bytes, key: str) -> bool:
    return re.search(rb'"' + re.escape(key.encode()) + rb'"[ \t\r\n]{0,64}:', text) is not None


def _with_units(pairs: list[Pair], definition: JsonMap, data: Any) -> list[Pair]:
    stated = {name: at(data, path) for name, path in definition.units.items()}
    known = {**definition.logged_units, **{name: unit for name, unit in stated.items() if isinstance(unit, str)}}
    return [(*pair[:3], known.get(pair[0], pair[3])) for pair in pairs]


def _place_of(definition: JsonMap, places: dict[str, Place]) -> Place:
    paths = [definition.values] if isinstance(definition.values, str) else list(definition.values.values())
    return next((places[path] for path in (*paths, ".") if path in places), places["."])
