"""Numbers, texts and lists as native/program.c reads them."""

from __future__ import annotations

import struct

from benchledger.definitions.log_format import COLUMNS
from benchledger.definitions.template import Hole

# In the place of a number: there is none.
NONE = 0xFFFFFFFF
# Where a value goes: numbers that native/program.h has too.
TARGETS = ("number", "text", "step", "epoch", "rank", "device", "label", "logged_at", "clock_s")
# The steps of a template: numbers that native/template.h has too.
STEPS = (
    "literal", "blanks", "int", "int,", "float", "word", "text", "skip", "time", "duration", "stamp", "unix", "bool",
    "end",
)  # fmt: skip
CLOCKS = ("duration", "stamp")
TEXTS = ("word", "text")
_NUMBERS = ("int", "int,", "float", *CLOCKS)
_FITTING = {
    "step": ("int",), "epoch": ("int",), "rank": ("int",), "device": TEXTS, "label": TEXTS,
    "logged_at": ("time", "unix"), "clock_s": _NUMBERS,
}  # fmt: skip


def u32(number: int) -> bytes:
    """A number."""
    return struct.pack("<I", number)


def sized(value: bytes) -> bytes:
    """A text and its length."""
    return u32(len(value)) + value


def listed(parts: list[bytes]) -> bytes:
    """Parts, and how many they are."""
    return u32(len(parts)) + b"".join(parts)


def target_of(hole: Hole) -> str | None:
    """Where the value of a hole goes; None: only the reference reader puts it there."""
    if hole.name in COLUMNS:
        return hole.name if hole.type in _FITTING[hole.name] else None
    return "number" if hole.type in _NUMBERS else "text" if hole.type in (*TEXTS, "bool") else None
