"""Reads TensorBoard's event files: scalars, texts and hyperparameters, of any writer.

The messages are those of TensorFlow's event.proto and summary.proto and of TensorBoard's hparams plugin_data.proto.
"""

from __future__ import annotations

import json
from typing import Any

from benchledger.definitions.phases import UNKNOWN
from benchledger.scanning.json_values import flat_pairs, storable
from benchledger.scanning.rows import Pair, Pieces, Refused
from benchledger.scanning.text_lines import reject
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
from benchledger.scanning.trackers.tensors import tensor_values

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
