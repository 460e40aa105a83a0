"""Reads TensorBoard's event files: scalars, texts and hyperparameters, of any writer.

The messages are those of TensorFlow's event.proto and summary.proto and of TensorBoard's hparams plugin_data.proto.
"""

from __future__ import annotations

import json
import struct
from typing import Any

from benchledger.definitions.vocabulary import UNKNOWN
from benchledger.scanning.file_reader import reject
from benchledger.scanning.json_values import flat_pairs, storable
from benchledger.scanning.rows import Pair, Pieces, Refused
from benchledger.scanning.trackers.base import BAD_PROTOBUF, FramesReader, moment, step_of
from benchledger.scanning.trackers.frames import BAD_CHECKSUM, Frame, TfRecords
from benchledger.scanning.trackers.protobuf import (
    FIXED32,
    VARINT,
    BrokenMessage,
    fields,
    float_in,
    message_in,
    signed,
    text_in,
)

# DataType: the fields of tensor.proto that hold its values, and how tensor_content holds them.
_CONTENT = {1: "f", 2: "d", 3: "i", 4: "B", 5: "h", 6: "b", 9: "q", 10: "?", 17: "H", 19: "e", 22: "I", 23: "Q"}
_STRING = 7
_HALF = 19
_UNSIGNED = 23
_TYPE, _BYTES, _FLOATS, _DOUBLES, _TEXTS, _HALVES = 1, 4, 5, 6, 8, 13
_INTEGERS = (7, 10, 11, 16, 17)
_WIDTHS = {_FLOATS: "<f", _DOUBLES: "<d"}
# A tensor of more values is no scalar; what one of them is need not be known.
_MOST = 1_000
# Event.file_version, which begins every event file.
VERSION = b"brain.Event:"
BAD_SCALAR = "bad scalar: a tensor of another type or of more than one value"
_HEAD = 64
# Event
_TIME, _STEP, _VERSION, _GRAPH, _SUMMARY = 1, 2, 3, 4, 5
_EVENTS = {
    _VERSION: "version of the file", _GRAPH: "graph", 6: "message of TensorFlow's own log",
    7: "start or end of a session", 8: "metadata of a session", 9: "graph", 10: "name of the writer",
}  # fmt: skip
# Summary.Value
_TAG, _SIMPLE, _TENSOR, _METADATA = 1, 2, 8, 9
_OTHERS = {3: "histogram", 4: "image", 5: "histogram", 6: "audio"}
_PLUGINS = {"images": "image", "histograms": "histogram", "audio": "audio"}
_PLUGIN_LIMIT = 100_000


def tensor_values(tensor: memoryview) -> list[float] | list[str] | None:
    """Returns the numbers or texts of a tensor; None if its type is not read. Raises BrokenMessage."""
    kind = 0
    numbers: list[float] = []
    texts: list[str] = []
    content = memoryview(b"")
    for number, wire, value in fields(tensor):
        if number == _TYPE:
            kind = signed(value)
        elif number == _BYTES:
            content = message_in(value)
        elif number == _TEXTS:
            texts.append(text_in(value))
        elif number in _WIDTHS:
            numbers += _packed(message_in(value), _WIDTHS[number])
        elif number in _INTEGERS or number == _HALVES:
            numbers += [signed(value)] if wire == VARINT else _varints(message_in(value))
        if len(numbers) + len(texts) > _MOST:
            return None
    return texts if kind == _STRING else _numbers(kind, numbers, content)


def _numbers(kind: int, numbers: list[float], content: memoryview) -> list[float] | None:
    if kind not in _CONTENT:
        return None
    if kind == _HALF:
        numbers = [struct.unpack("<e", struct.pack("<H", int(number) & 0xFFFF))[0] for number in numbers]
    elif kind == _UNSIGNED:
        numbers = [int(number) & 0xFFFFFFFFFFFFFFFF for number in numbers]
    width = struct.calcsize(f"<{_CONTENT[kind]}")
    if len(content) > _MOST * width:
        return None
    return numbers or _packed(content, f"<{_CONTENT[kind]}")


def _packed(raw: memoryview, code: str) -> list[float]:
    if len(raw) == struct.calcsize(code):
        return [struct.unpack(code, raw)[0]]
    if len(raw) % struct.calcsize(code):
        raise BrokenMessage("values that are cut")
    return [value for (value,) in struct.iter_unpack(code, raw[: (_MOST + 1) * struct.calcsize(code)])]


def _varints(raw: memoryview) -> list[float]:
    found: list[float] = []
    value = shift = 0
    for byte in raw[: 10 * _MOST]:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            found.append(signed(value & 0xFFFFFFFFFFFFFFFF))
            value = shift = 0
    return found


class TensorBoardReader(FramesReader):
    """Reads event files. A record's line is the number of its event, its offset that event's place."""

    marks = (VERSION,)
    # An evaluation may log under the same names as the training, in a folder of its own.
    phase = UNKNOWN

    def fits(self, head: bytes, complete: bool) -> str | None:  # noqa: ARG002 - a FileReader
        return "its first event states brain.Event" if VERSION in head[12:_HEAD] else None

    def begin(self, head: bytes) -> None:  # noqa: ARG002 - a FileReader
        self.frames = TfRecords()
        # Some writers state the plugin of a tag only with its first value.
        self._plugins: dict[str, str] = {}

    def add(self, frame: Frame, pieces: Pieces) -> None:
        problem, found = frame.problem, Pieces()
        if problem is None:
            try:
                self._add_event(frame, found)
            except BrokenMessage:
                problem = BAD_PROTOBUF
            if (problem or found.rows or found.rejects) and frame.is_damaged():
                problem = BAD_CHECKSUM
        if problem is not None:
            reject(pieces, frame.number, frame.offset, None, problem, bytes(frame.data[:_HEAD]))
            return
        pieces.pieces += found.pieces
        # In the order of their places.
        pieces.rows += sorted(found.rows, key=lambda row: row.byte_offset)
        pieces.rejects += found.rejects
        pieces.ignored.update(found.ignored)

    def _add_event(self, frame: Frame, pieces: Pieces) -> None:
        wall_time, step = 0.0, 0
        values: list[memoryview] = []
        other = "event without a value"
        for number, _, value in fields(frame.data):
            if number == _TIME:
                wall_time = float_in(value)
            elif number == _STEP:
                step = signed(value)
            elif number == _SUMMARY:
                values += [message_in(part) for inner, _, part in fields(message_in(value)) if inner == 1]
            else:
                other = _EVENTS.get(number, other)
        if not values:
            self.ignore(other, pieces)
            return
        scalars: list[Pair] = []
        for at, value in enumerate(values, start=1):
            pair = self._value(value, (frame.number, frame.offset + at), pieces)
            if pair is not None:
                scalars.append(pair)
        if scalars:
            columns: Any = {"step": step_of(step), "logged_at": moment(wall_time)}
            self.add_values(scalars, columns, (frame.number, frame.offset), pieces)

    def _value(self, message: memoryview, place: tuple[int, int], pieces: Pieces) -> Pair | None:
        # Returns a scalar; adds what else a value is.
        tag, plugin, scalar, content = "", "", None, memoryview(b"")
        tensor: memoryview | None = None
        other = "value without a scalar"
        for number, wire, value in fields(message):
            if number == _TAG:
                tag = storable(text_in(value))
            elif number == _SIMPLE and wire == FIXED32:
                scalar = float_in(value)
            elif number == _TENSOR:
                tensor = message_in(value)
            elif number == _METADATA:
                plugin, content = _plugin(message_in(value))
            else:
                other = _OTHERS.get(number, other)
        if plugin and len(self._plugins) < _PLUGIN_LIMIT:
            self._plugins.setdefault(tag, plugin)
        plugin = plugin or self._plugins.get(tag, "")
        if plugin == "hparams":
            self._hparams(content, place, pieces)
            return None
        if scalar is not None:
            return tag, scalar, None, None
        if tensor is None or plugin not in ("", "scalars", "text"):
            self.ignore(_PLUGINS.get(plugin, f"value of a plugin: {plugin[:50]}") if plugin else other, pieces)
            return None
        return self._tensor(tag, plugin, tensor, place, pieces)

    def _tensor(self, tag: str, plugin: str, tensor: memoryview, place: tuple[int, int], pieces: Pieces) -> Pair | None:
        found = tensor_values(tensor)
        if found and isinstance(found[0], str):
            texts = [storable(str(text)) for text in found]
            text = texts[0] if len(texts) == 1 else json.dumps(texts, ensure_ascii=False)
            self.add_settings([(tag, None, text, None)], place, pieces)
            return None
        if found is not None and len(found) == 1 and plugin != "text":
            return tag, float(found[0]), None, None
        if plugin == "scalars":
            reject(pieces, *place, None, BAD_SCALAR, tag.encode("utf-8", "backslashreplace"))
        else:
            self.ignore("tensor", pieces)
        return None

    def _hparams(self, content: memoryview, place: tuple[int, int], pieces: Pieces) -> None:
        # HParamsPluginData: the experiment, or the start or end of a session.
        pairs: list[Pair] = []
        for number, _, value in fields(content):
            if number == 3:
                for inner, _, entry in fields(message_in(value)):
                    if inner == 1:
                        pairs += _hparam(message_in(entry))
        if pairs:
            self.add_settings(pairs, place, pieces)
        else:
            self.ignore("hyperparameters without a value", pieces)


def _plugin(metadata: memoryview) -> tuple[str, memoryview]:
    name, content = "", memoryview(b"")
    for number, _, value in fields(metadata):
        if number == 1:
            for inner, _, part in fields(message_in(value)):
                if inner == 1:
                    name = text_in(part)
                elif inner == 2:
                    content = message_in(part)
    return name, content


def _hparam(entry: memoryview) -> list[Pair]:
    # An entry of map<string, google.protobuf.Value>.
    name, value = "", None
    for number, _, part in fields(entry):
        if number == 1:
            name = text_in(part)
        elif number == 2:
            value = _json_value(message_in(part))
    try:
        return list(flat_pairs({name: value}))
    except Refused:
        raise BrokenMessage("a value nested too deep") from None


def _json_value(message: memoryview, depth: int = 0) -> Any:
    if depth > 32:
        raise BrokenMessage("a value nested too deep")
    found: Any = None
    for number, wire, value in fields(message):
        if number == 2:
            found = float_in(value)
        elif number == 3:
            found = text_in(value)
        elif number == 4 and wire == VARINT:
            found = bool(value)
        elif number == 5:
            found = {}
            for _, _, entry in fields(message_in(value)):
                parts = {inner: message_in(part) for inner, _, part in fields(message_in(entry))}
                found[text_in(parts.get(1, memoryview(b"")))] = _json_value(parts.get(2, memoryview(b"")), depth + 1)
        elif number == 6:
            found = [_json_value(message_in(part), depth + 1) for _, _, part in fields(message_in(value))]
    return found
