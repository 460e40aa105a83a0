"""Encodes numbers, texts and lists as native/program.c reads them."""

from __future__ import annotations

import struct

from benchledger.definitions.log_format import COLUMNS
from benchledger.definitions.template import LIST, Hole

# Stands for a missing number.
NONE = 0xFFFFFFFF
# Where a value is stored; native/program.h has the same numbers.
TARGETS = ("number", "text", "step", "epoch", "rank", "device", "label", "logged_at", "clock_s")
# The steps of a template; native/template.h has the same numbers.
STEPS = (
    "literal", "blanks", "int", "int,", "float,", "float", "word", "text", "pairs", "skip", "time", "duration", "stamp",
    "unix", "bool", "end",
)  # fmt: skip
CLOCKS = ("duration", "stamp")
TEXTS = ("word", "text")
_NUMBERS = ("int", "int,", "float,", "float", *CLOCKS)
_FITTING = {
    "step": ("int",), "epoch": ("int",), "rank": ("int",), "device": TEXTS, "label": TEXTS,
    "logged_at": ("time", "unix"), "clock_s": _NUMBERS,
}  # fmt: skip


def u32(number: int) -> bytes:
    """Encodes a number."""
    return struct.pack("<I", number)


def sized(value: bytes) -> bytes:
    """Encodes a text with its length."""
    return u32(len(value)) + value


def listed(parts: list[bytes]) -> bytes:
    """Encodes parts with their number."""
    return u32(len(parts)) + b"".join(parts)


def target_of(hole: Hole) -> str | None:
    """Returns where the value of a hole is stored; None if only the reference reader can store it."""
    if hole.name in COLUMNS:
        return hole.name if hole.type in _FITTING[hole.name] else None
    return "number" if hole.type in _NUMBERS else "text" if hole.type in (*TEXTS, "bool", LIST) else None
