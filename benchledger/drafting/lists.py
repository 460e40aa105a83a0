"""Finds where a `key : value unit` list begins in a line and how it is written, by reading it with the real reader."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from benchledger.definitions.log_format import PairsStyle
from benchledger.definitions.vocabulary import vocabulary
from benchledger.drafting.masks import Masked, Shape
from benchledger.drafting.values import name_guesses
from benchledger.scanning.pairs_reader import PairsReader
from benchledger.scanning.rows import Pair, Refused
from benchledger.scanning.values import number_fault

_ASSIGNS = (": ", "=", " : ", ":", " = ", " ")
_BETWEENS = (", ", " | ", "  ", "\t", " - ", "; ", ",", " ")
_RATE = re.compile(r"[0-9] ?([A-Za-z]+/(?:s|sec|second|step|it|iter)(?:/[A-Za-z]+)?)(?![A-Za-z/])")
_CLOSERS = {")": "(", "}": "{", "]": "["}
_KEY = re.compile(r"[A-Za-z_][\w ./@%()\-^*]{0,47}\Z")
_OF_ALL = re.compile(r"[0-9]+/[0-9]+\Z")
_GROUPED = re.compile(r"[+-]?[0-9]{1,3},[0-9]{3}")
_KEY_STARTS = 8
_LINES_TRIED = 6
_HEAD_KEYS = 5


@dataclass(frozen=True)
class ListCut:
    """A list: its style, the literal where it begins, its first key, and the names in the shape's first line.

    `head` has the texts of the pairs before it, by key.
    """

    style: PairsStyle
    literal: int
    key: str
    names: tuple[str, ...]
    head: tuple[tuple[str, str], ...] = ()

    def place(self, line: Masked) -> int | None:
        ends = [0, *(mark.end for mark in line.marks)]
        at = line.literals[self.literal].rfind(self.key)
        return None if at < 0 else ends[self.literal] + at


def rates(lines: tuple[str, ...]) -> frozenset[str]:
    """Returns rates behind numbers, such as `seq/s/gpu`, that are not units of the vocabulary."""
    found = {match for line in lines[:20_000] for match in _RATE.findall(line)}
    return frozenset(found - set(vocabulary().spellings))


@cache
def pairs_reader(style: PairsStyle, further: frozenset[str]) -> PairsReader:
    words = vocabulary()
    return PairsReader(style, frozenset(words.spellings) | words.absent_units | further)


def read_pairs(reader: PairsReader, tail: bytes) -> tuple[list[Pair], bytes]:
    """Returns the pairs of a tail and the rest of it; no pairs if a number in it has no end."""
    try:
        return reader.read(tail)
    except Refused:
        return [], tail


def find_list(shape: Shape, start: int, further: frozenset[str]) -> ListCut | None:
    """Returns the list at the end of a shape's lines, behind its counters; None if no list has two pairs."""
    first = shape.lines[0]
    best: tuple[tuple[int, int, int], PairsStyle, list[Pair], int] | None = None
    for rank, (assign, between) in enumerate(_styles(first.tail(start).decode())):
        for begin in itertools.islice(_key_starts(first, start, assign), _KEY_STARTS):
            tail = first.tail(begin)
            style = PairsStyle(assign, (between,), _end(tail.decode().rstrip()))
            pairs = _clean(pairs_reader(style, further), tail, style)
            # If blanks divide the pairs, a word before the first key is not part of it: `starting model=tiny gpus=8`.
            if pairs is None or (between == " " and " " in pairs[0][0]):
                continue
            numbers = sum(number is not None for _, number, _, _ in pairs)
            score = (numbers, len(pairs), -rank)
            if numbers and (best is None or score > best[0]):
                best = score, style, pairs, begin
            break
    if best is None:
        return None
    _, style, pairs, begin = best
    cut = _behind_counters(first, begin, style, pairs, start)
    return cut if cut is not None and _holds(cut, shape, further) else None


def _end(tail: str) -> str | None:
    # The bracket that closes the list, if it was opened before the first key.
    last = tail[-1:]
    return last if last in _CLOSERS and tail.count(last) > tail.count(_CLOSERS[last]) else None


def _styles(text: str) -> Iterator[tuple[str, str]]:
    for assign, between in itertools.product(_ASSIGNS, _BETWEENS):
        if assign.strip() == between.strip() and assign != " ":
            continue
        if assign in text and between in text and not (assign == " " and between in (" ", "  ")):
            yield assign, between


def _key_starts(line: Masked, start: int, assign: str) -> Iterator[int]:
    # A key begins behind a divider (a bracket, a comma, a bar, two blanks). Otherwise each word of the literal is
    # tried.
    ends = [0, *(mark.end for mark in line.marks)]
    for index, (end, literal) in enumerate(zip(ends, line.literals, strict=True)):
        # Text directly behind a value is its unit.
        first = r"(?:^|" if not index or line.marks[index - 1].type == "ansi" else "(?:"
        for match in re.finditer(first + r"(?<=[\s,;|(\[{'\"\]:)-]))[A-Za-z_]", literal):
            at = end + match.start()
            if at >= start and assign in line.text[at:]:
                yield at


def _clean(reader: PairsReader, tail: bytes, style: PairsStyle) -> list[Pair] | None:
    pairs, note = read_pairs(reader, tail)
    if note or len(pairs) < 2:
        return None
    for key, _, value, _ in pairs:
        if value and number_fault(value):
            return None
        if not _KEY.match(key) or key.split()[-1:] == ["-"] or "  " in key or " - " in key:
            return None
        if value and (style.assign in value or value[:1] in "-|") and not value.startswith(("[", "(", "{")):
            return None
        if style.assign == " " and (value is not None or not key[:1].isalpha()):
            return None
    return pairs


def _behind_counters(line: Masked, begin: int, style: PairsStyle, pairs: list[Pair], start: int) -> ListCut | None:
    # A counter becomes a column of the record only as a hole, so the list begins behind it. If a list begins the line,
    # its first pair goes to the head: a record must begin with distinctive text.
    known = name_guesses()
    moved = 0
    for index, (key, number, text, unit) in enumerate([] if _are_settings(pairs) else pairs[:_HEAD_KEYS]):
        whole = number is not None and number == int(number) and unit is None
        if known.counter(key) and (whole or _OF_ALL.match(text or "")):
            moved = index + 1
    if not moved and len(re.sub(r"[^A-Za-z]", "", line.text[start:begin])) < 2:
        moved = 1
    if moved >= len(pairs):
        return None
    at = begin
    for key, *_ in pairs[1 : moved + 1]:
        at = line.text.find(key, at + 1)
    ends = [0, *(mark.end for mark in line.marks)]
    literal = max((index for index, end in enumerate(ends) if end <= at), default=0)
    names = tuple(key for key, *_ in pairs[moved:])
    if at < 0 or names[0] not in line.literals[literal]:
        return None
    return ListCut(style, literal, names[0], names, tuple((key, text) for key, _, text, _ in pairs[:moved] if text))


def _are_settings(pairs: list[Pair]) -> bool:
    # `Namespace(epochs=3, world_size=8)` counts nothing.
    known = name_guesses()
    measured = {found[0] for key, *_ in pairs if (found := known.quantity(key))}
    return not measured & {"loss", "throughput", "step_time"} and any(
        (fact := known.fact(key)) and fact[1] for key, *_ in pairs
    )


def _holds(cut: ListCut, shape: Shape, further: frozenset[str]) -> bool:
    reader = pairs_reader(cut.style, further)
    grouped = [line for line in shape.lines if any(mark.type in ("int,", "float,") for mark in line.marks)]
    for line in (*shape.lines[-_LINES_TRIED:], *grouped[:_LINES_TRIED]):
        at = cut.place(line)
        if at is None:
            return False
        pairs, note = read_pairs(reader, line.tail(at))
        if note or not pairs:
            return False
        # A list reads `1,139.4` as text: a measured value needs a hole.
        if any(text and _GROUPED.match(text) and name_guesses().quantity(key) for key, _, text, _ in pairs):
            return False
    return True
