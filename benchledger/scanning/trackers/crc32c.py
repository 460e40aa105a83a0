"""CRC-32C (Castagnoli), as TensorBoard's event files have it behind each length and each event."""

from __future__ import annotations

_POLYNOMIAL = 0x82F63B78
_MASK = 0xA282EAD8


def _entry(byte: int) -> int:
    for _ in range(8):
        byte = byte >> 1 ^ (_POLYNOMIAL if byte & 1 else 0)
    return byte


_TABLE = tuple(_entry(byte) for byte in range(256))


def crc32c(data: bytes | memoryview) -> int:
    table, crc = _TABLE, 0xFFFFFFFF
    for byte in data:
        crc = table[(crc ^ byte) & 0xFF] ^ crc >> 8
    return crc ^ 0xFFFFFFFF


def masked(data: bytes | memoryview) -> int:
    """Returns the checksum as a TFRecord file stores it."""
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + _MASK) & 0xFFFFFFFF
