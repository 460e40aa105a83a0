"""Finds literals that identify a drafted format: shared by all its step lines, in order, and in no known sample."""

from __future__ import annotations

import re
from collections.abc import Callable

from benchledger.drafting.masks import Masked
from benchledger.drafting.template_drafts import Entry
from benchledger.drafting.values import name_guesses

_LEAST_LETTERS, _ENOUGH_LETTERS, _MOST_LITERALS = 12, 28, 8
# Losses and accuracies differ between the tasks of one program; speed and position have the same words.
_OF_TASK = ("loss", "accuracy")
# The process that printed a line, and its stream, differ between launches.
_OF_LAUNCH = re.compile(r"\A(?:\[[A-Za-z]*[ ,0-9]+\]:?|<std(?:out|err)>: ?|[0-9]+: )+")
# Not a logging level such as [INFO]: those are in capitals.
_PREFIX = re.compile(r"\[[a-z][A-Za-z_.-]+\] ")
_LEAST_LINES = 3
_PIECE = re.compile(r"[^ \t]+(?: [^ \t]+)*")

Private = Callable[[str], bool]


def proof_of(entry: Entry, private: Private, long: bool) -> tuple[str, ...]:
    """Returns literals that all lines of an entry contain; `long` returns all of them."""
    lines = [shape.lines[0] for shape in entry.shapes]
    found = [text for text in _pieces(lines[0]) if not private(text)]
    for shape in entry.shapes:
        for line in shape.lines:
            found = _in_order(found, line.text)
    if long:
        return tuple(found)
    lasting = [text for text in found if not _is_of_task(text)]
    return _first(lasting if sum(map(_letters, lasting)) >= _ENOUGH_LETTERS else found)


def _first(literals: list[str]) -> tuple[str, ...]:
    chosen: list[str] = []
    for text in literals:
        if sum(map(_letters, chosen)) >= _ENOUGH_LETTERS or len(chosen) >= _MOST_LITERALS:
            break
        chosen.append(text)
    return tuple(chosen)


def _is_of_task(text: str) -> bool:
    hint = name_guesses().quantity(text)
    return hint is not None and hint[0] in _OF_TASK


def is_weak(proof: tuple[str, ...]) -> bool:
    """Tells whether another program may well print these literals in a line."""
    return sum(map(_letters, proof)) < _LEAST_LETTERS or (len(proof) < 2 and len(proof[0]) < 20 if proof else True)


def stands_in(proof: tuple[str, ...], text: str) -> bool:
    """Tells whether a line of a text contains all literals of a proof, in order."""
    return any(len(_in_order(list(proof), line)) == len(proof) for line in text.splitlines() if proof[0] in line)


def anchor_of(entry: Entry, private: Private) -> str | None:
    """Returns the literal at the beginning of an entry's record, with the text before it up to the last value."""
    line = entry.shapes[0].lines[0]
    ends = [0, *(mark.end for mark in line.marks)]
    index = max(place for place, end in enumerate(ends) if end <= entry.start)
    # With a blank behind it: `iter ` is not part of `iteration`.
    pieces = [_OF_LAUNCH.sub("", match.group()) for match in re.finditer(_PIECE.pattern + " ?", line.literals[index])]
    kept = [piece for piece in pieces if _letters(piece) >= 2 and not private(piece)]
    return max(kept, key=len) if kept else None


def prefixes(entries: list[Entry], lines: tuple[str, ...], private: Private) -> list[str]:
    """Returns the prefixes of a program's lines, such as `[toytrain] `, that at least three lines begin with."""
    of_entries = {match.group() for entry in entries if (match := _PREFIX.match(entry.shapes[0].lines[0].text))}
    counted = {prefix: sum(line.startswith(prefix) for line in lines) for prefix in sorted(of_entries)}
    return [prefix for prefix, count in counted.items() if count >= _LEAST_LINES and not private(prefix)]


def _letters(text: str) -> int:
    return sum(character.isalpha() for character in text)


def _pieces(line: Masked) -> list[str]:
    # Columns are padded with blanks: two or more blanks separate two literals.
    pieces = [_OF_LAUNCH.sub("", piece) for literal in line.literals for piece in _PIECE.findall(literal)]
    return [piece for piece in pieces if _letters(piece) >= 2]


def _in_order(literals: list[str], text: str) -> list[str]:
    kept, position = [], 0
    for literal in literals:
        at = text.find(literal, position)
        if at >= 0:
            kept.append(literal)
            position = at + len(literal)
    return kept
