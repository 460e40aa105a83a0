"""Samples of every format that is no lines, mangled at random: no crash, nothing lost, no place twice."""

from __future__ import annotations

import random

import pytest

from benchledger.scanning.log_reader import LogReader
from benchledger.scanning.samples import load_formats
from benchledger.scanning.sqlite_rows import made_file
from tests.scanning.found import find

KINDS = ("csv", "columns", "table", "json", "sqlite")
TOKENS = (
    b'"',
    b",",
    b"\n",
    b"\r",
    b"\x00",
    b"\xff",
    b"{",
    b"]",
    b"-",
    b"#",
    b"  ",
    b"9" * 30,
    b"1e999",
    b"nan",
    b"null",
)


def mangled(text: bytes, chance: random.Random) -> bytes:
    made = bytearray(text)
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(made) + 1)
        match chance.randrange(5):
            case 0:
                del made[at : at + chance.randint(1, 20)]
            case 1:
                made[at:at] = chance.choice(TOKENS)
            case 2:
                made = made[: max(at, 1)]
            case 3:
                made[at : at + 1] = bytes([chance.randrange(256)])
            case _:
                other = chance.randrange(len(made) + 1)
                made[at:at] = made[other : other + chance.randint(1, 60)]
    return bytes(made)


@pytest.mark.parametrize("name", [name for name, known in load_formats().items() if known.kind in KINDS])
def test_a_mangled_log_breaks_nothing(name: str) -> None:
    reader, chance = LogReader(load_formats()), random.Random(name)
    for sample in load_formats()[name].samples:
        text = made_file(sample.tables) if sample.tables else sample.text.strip("\n").encode()
        for _ in range(60):
            found = find(mangled(text, chance), reader)

            assert all(reject.line >= 1 and reject.byte_offset >= 0 for reject in found.log.scanned.rejects)
