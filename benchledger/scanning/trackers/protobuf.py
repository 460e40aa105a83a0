"""Reads the wire format of Protocol Buffers: fields by number, without a schema or a library."""

from __future__ import annotations

import struct
from collections.abc import Iterator

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
_FIXED = {FIXED64: 8, FIXED32: 4}

# Number, wire type, and an integer (VARINT) or the bytes of the field.
Field = tuple[int, int, "int | memoryview"]


class BrokenMessage(Exception):
    """Raised for bytes that are no message."""


def fields(message: memoryview) -> Iterator[Field]:
    at, end = 0, len(message)
    while at < end:
        key, at = _varint(message, at)
        number, wire = key >> 3, key & 7
        if not number:
            raise BrokenMessage("a field with the number 0")
        if wire == VARINT:
            value, at = _varint(message, at)
            yield number, wire, value
            continue
        if wire == BYTES:
            size, at = _varint(message, at)
        elif wire in _FIXED:
            size = _FIXED[wire]
        else:
            raise BrokenMessage(f"a field of wire type {wire}")
        if size > end - at:
            raise BrokenMessage("a field that ends behind its message")
        yield number, wire, message[at : at + size]
        at += size


def _varint(message: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(message) and shift < 70:
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & 0xFFFFFFFFFFFFFFFF, at
        shift += 7
    raise BrokenMessage("a number that does not end")


def message_in(value: int | memoryview) -> memoryview:
    if isinstance(value, int):
        raise BrokenMessage("a number in place of a message")
    return value


def text_in(value: int | memoryview) -> str:
    return bytes(message_in(value)).decode("utf-8", "backslashreplace")


def signed(value: int | memoryview) -> int:
    if not isinstance(value, int):
        raise BrokenMessage("bytes in place of a number")
    return value - (1 << 64) if value >> 63 else value


def zigzag(value: int | memoryview) -> int:
    number = signed(value) & 0xFFFFFFFFFFFFFFFF
    return (number >> 1) ^ -(number & 1)


def float_in(value: int | memoryview) -> float:
    raw = message_in(value)
    if len(raw) not in (4, 8):
        raise BrokenMessage("no float")
    number: float = struct.unpack("<f" if len(raw) == 4 else "<d", raw)[0]
    return number


def moment_in(value: int | memoryview) -> float:
    """Returns the seconds since 1970 of a google.protobuf.Timestamp."""
    seconds = nanos = 0
    for number, _, part in fields(message_in(value)):
        if number == 1:
            seconds = signed(part)
        elif number == 2:
            nanos = signed(part)
    return seconds + nanos / 1e9
