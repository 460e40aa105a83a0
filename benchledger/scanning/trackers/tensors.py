"""Reads the values of a TensorFlow tensor (tensor.proto): what a summary of TensorBoard holds in place of a float."""

from __future__ import annotations

import struct

from benchledger.scanning.trackers.protobuf import VARINT, BrokenMessage, fields, message_in, signed, text_in

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
