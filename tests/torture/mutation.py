"""Changes bytes at random, as damage, cut transfers and hostile hands do."""

from __future__ import annotations

import random

_PIECES = (
    b"\x00", b"\xff\xfe", b"\r\n", b"\n\n", b"nan", b"inf", b"-1", b"1e999", b"99999999999999999999", b'"', b"{", b"[",
    b"=", b":", b",", b" ", b"\t", b"\x1b[31m", "\u202e".encode(), b"'; drop table log; --", b"[[" * 40, b"9" * 400,
)  # fmt: skip


def mutated(data: bytes, rng: random.Random, changes: int = 6) -> bytes:
    """The bytes after a few random changes: flips, cuts, repetitions, moves, insertions and swapped digits."""
    found = bytearray(data)
    for _ in range(rng.randint(1, changes)):
        if not found:
            return bytes(found)
        start = rng.randrange(len(found))
        end = min(len(found), start + rng.choice((1, 2, 8, 80, 800)))
        rng.choice(_CHANGES)(found, start, end, rng)
    return bytes(found)


def _flip(found: bytearray, start: int, end: int, rng: random.Random) -> None:
    found[start] ^= 1 << rng.randrange(8)


def _delete(found: bytearray, start: int, end: int, rng: random.Random) -> None:
    del found[start:end]


def _cut(found: bytearray, start: int, end: int, rng: random.Random) -> None:
    del found[start : len(found) if rng.random() < 0.3 else start + 1]


def _repeat(found: bytearray, start: int, end: int, rng: random.Random) -> None:
    found[start:start] = found[start:end] * rng.choice((1, 2, 30))


def _copy(found: bytearray, start: int, end: int, rng: random.Random) -> None:
    place = rng.randrange(len(found))
    found[place:place] = found[start:end]


def _insert(found: bytearray, start: int, end: int, rng: random.Random) -> None:
    found[start:start] = rng.choice(_PIECES)


def _scramble(found: bytearray, start: int, end: int, rng: random.Random) -> None:
    found[start:end] = rng.randbytes(end - start)


def _other_digits(found: bytearray, start: int, end: int, rng: random.Random) -> None:
    for place in range(start, end):
        if 48 <= found[place] <= 57:
            found[place] = rng.randrange(48, 58)


_CHANGES = (_flip, _delete, _cut, _repeat, _copy, _insert, _scramble, _other_digits)


def mutated_lines(text: bytes, rng: random.Random) -> bytes:
    """The text after each tenth of its lines, or so, was changed, lost, doubled, or moved."""
    lines = text.split(b"\n")
    found = []
    for line in lines:
        match rng.randrange(24):
            case 0:
                line = mutated(line, rng, 3)
            case 1:
                continue
            case 2:
                found.append(line)
            case 3 if found:
                found.insert(rng.randrange(len(found)), line)
                continue
        found.append(line)
    return b"\n".join(found)
