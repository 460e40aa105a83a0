"""Numbers, texts and lists as native/program.c reads them."""

from __future__ import annotations

import struct

# In the place of a number: there is none.
NONE = 0xFFFFFFFF
# Where a value goes: numbers that native/program.h has too.
TARGETS = ("number", "text", "step", "epoch", "rank", "device", "label", "logged_at", "clock_s")


def u32(number: int) -> bytes:
    """A number."""
    return struct.pack("<I", number)


def sized(value: bytes) -> bytes:
    """A text and its length."""
    return u32(len(value)) + value


def listed(parts: list[bytes]) -> bytes:
    """Parts, and how many they are."""
    return u32(len(parts)) + b"".join(parts)
