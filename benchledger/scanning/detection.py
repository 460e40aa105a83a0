"""Finds the format of a log by proofs: literals that occur in one line, in order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from benchledger.definitions.log_format import LogFormat
from benchledger.scanning.literal_search import LiteralSearch
from benchledger.scanning.values import ANSI

BLOCK = 65_536
_LINES_TRIED = 2_000
# A near miss has at least so many bytes in common with a proof: `g/` occurs in every path.
_LEAST_NEAR = 6
# Shorter literals occur in many logs by chance.
_LEAST_TELLING = 6
_REMEMBERED = 4_096
_BLANKS = re.compile(rb"[ \t]+")


@dataclass(frozen=True)
class Detected:
    """The format of a log, and its proof as `evidence`; without a format, `evidence` says why."""

    format: LogFormat | None
    evidence: str


@dataclass(frozen=True)
class _Proof:
    format: LogFormat
    literals: tuple[bytes, ...]
    score: tuple[int, int]
    unless: tuple[bytes, ...]
    # The rarest literal, which is searched for first.
    telling: bytes

    @cached_property
    def shown(self) -> str:
        return " ... ".join(literal.decode() for literal in self.literals)

    @cached_property
    def loose(self) -> re.Pattern[bytes]:
        # Terminals turn a tab into blanks, editors do the reverse. The first place of each literal counts, as in find.
        return re.compile(b"(?m)^" + b"".join(rb"(?>[^\n]*?%b)" % _loose_pattern(one) for one in self.literals))

    @property
    def has_tab(self) -> bool:
        return any(b"\t" in literal for literal in self.literals)

    @property
    def most_near(self) -> int:
        """Returns the bytes of all literals but the last: the nearest possible miss."""
        return sum(map(len, self.literals[:-1]))


class Detector:
    """Searches logs for the proofs of all formats: `look` at block after block until it returns True, then `verdict`.

    One pass over a block finds the literals in it, and so the proofs that are possible at all.
    """

    def __init__(self, formats: dict[str, LogFormat], *, native: bool = True) -> None:
        stated = [
            (log_format, tuple(text.encode() for text in proof))
            for log_format in formats.values()
            for proof in log_format.proofs
        ]
        # The number of formats with a literal in their proofs.
        uses = Counter(text for _, text in {(known.name, text) for known, literals in stated for text in literals})
        proofs = [
            _Proof(
                log_format,
                literals,
                (0 if log_format.generic else 1, sum(map(len, literals))),
                tuple(text.encode() for text in log_format.unproved),
                min(literals, key=lambda literal: (len(literal) < _LEAST_TELLING, uses[literal], -len(literal))),
            )
            for log_format, literals in stated
        ]
        # The strongest first: once a proof is found, weaker ones need no search.
        self._proofs = sorted(proofs, key=lambda proof: proof.score, reverse=True)
        self._search = LiteralSearch((proof.telling for proof in proofs), native=native)
        # Cached, because logs of one program contain the same literals.
        self._proofs_with = lru_cache(_REMEMBERED)(self._possible)

    # Searched for only in a log without a proof, since many are short and frequent.

    @cached_property
    def _firsts(self) -> LiteralSearch:
        return LiteralSearch((proof.literals[0] for proof in self._proofs), native=False)

    @cached_property
    def _words(self) -> LiteralSearch:
        return LiteralSearch((_longest_word(proof.literals) for proof in self._proofs), native=False)

    def look(self, block: bytes, line: int, best: dict[str, tuple[tuple[int, int], str]]) -> bool:
        """Adds to `best` the formats that a block proves; returns True for a specific format. `line` is its first."""
        top = max(score for score, _ in best.values()) if best else (-1, 0)
        for proof in self._proofs_with(self._search.found_in(block)):
            if proof.score < top:
                break
            position = _proved_at(block, proof)
            if position is not None:
                at = line + block.count(b"\n", 0, position)
                best.setdefault(proof.format.name, (proof.score, f"line {at} holds {proof.shown!r}"))
                top = proof.score
        return any(score[0] for score, _ in best.values())

    def look_loosely(self, head: bytes) -> dict[str, tuple[tuple[int, int], str]]:
        """Returns the proofs in the beginning of a log, ignoring colour codes, and whether blanks are tabs."""
        best: dict[str, tuple[tuple[int, int], str]] = {}
        plain = ANSI.sub(b"", head[:BLOCK])
        is_altered = len(plain) < len(head[:BLOCK]) or b"\t" in plain
        words = self._words.found_in(plain)
        for proof in self._proofs:
            if best and proof.score < max(score for score, _ in best.values()):
                break
            if (is_altered or proof.has_tab) and _longest_word(proof.literals) in words:
                for match in proof.loose.finditer(plain):
                    end = plain.find(b"\n", match.end())
                    if not any(text in plain[match.start() : end if end >= 0 else None] for text in proof.unless):
                        at = plain.count(b"\n", 0, match.start()) + 1
                        shown = f"line {at} holds {proof.shown!r}, without colours, tabs as blanks"
                        best.setdefault(proof.format.name, (proof.score, shown))
                        break
        return best

    def _possible(self, there: frozenset[bytes]) -> list[_Proof]:
        return [proof for proof in self._proofs if proof.telling in there]

    def verdict(self, formats: dict[str, LogFormat], best: dict[str, tuple[tuple[int, int], str]]) -> Detected | None:
        """Returns the proved format with the highest score; None without a proof."""
        if not best:
            return None
        if len(best) == 1:
            ((name, (_, proved)),) = best.items()
            return Detected(formats[name], proved)
        top = max(score for score, _ in best.values())
        names = sorted(name for name, (score, _) in best.items() if score == top)
        if len(names) > 1:
            return Detected(None, f"ambiguous: {' and '.join(names)} fit equally well ({best[names[0]][1]})")
        return Detected(formats[names[0]], best[names[0]][1])

    def nearest(self, block: bytes, line: int, found: tuple[int, str]) -> tuple[int, str]:
        """Returns the nearest miss, `found` or better: the proof with most bytes of its literals in one line."""
        there = self._firsts.found_in(block)
        for proof in self._proofs:
            if proof.literals[0] not in there or proof.most_near <= found[0]:
                continue
            for matched, position in _partial(block, proof.literals):
                score = sum(map(len, proof.literals[:matched]))
                if matched < len(proof.literals) and score > max(found[0], _LEAST_NEAR - 1):
                    at = line + block.count(b"\n", 0, position)
                    found = (score, f"nearest is {proof.format.name}: {_miss(proof, matched, at)}")
        return found

    def misses(self, block: bytes, line: int, found: dict[str, tuple[int, str]]) -> None:
        """Adds to `found` the nearest miss of each format: the bytes in common, and the literals found and missing."""
        for proof in self._proofs:
            for matched, position in _partial(block, proof.literals):
                score = sum(map(len, proof.literals[:matched]))
                best = found.get(proof.format.name, (_LEAST_NEAR - 1, ""))[0]
                if matched < len(proof.literals) and score > best:
                    at = line + block.count(b"\n", 0, position)
                    found[proof.format.name] = (score, _miss(proof, matched, at))


@lru_cache(maxsize=4)
def detector_of(formats: tuple[LogFormat, ...], *, native: bool) -> Detector:
    """Returns the detector of some formats. All readers of a process share it."""
    return Detector({one.name: one for one in formats}, native=native)


def numbered_blocks(data: bytes, line: int) -> Iterator[tuple[bytes, int]]:
    """Yields blocks of about 64 KB that end at line ends, and the number of their first line."""
    if len(data) <= BLOCK:
        yield data, line
        return
    start = 0
    while start < len(data):
        end = start + BLOCK
        if end < len(data):
            newline = data.find(b"\n", end, end + BLOCK)
            end = newline + 1 if newline >= 0 else end + BLOCK
        block = data[start:end]
        yield block, line
        line += block.count(b"\n")
        start = end


def _longest_word(literals: tuple[bytes, ...]) -> bytes:
    return max((word for literal in literals for word in _BLANKS.split(literal)), key=len)


def _loose_pattern(literal: bytes) -> bytes:
    def loosened(blanks: re.Match[bytes]) -> bytes:
        # Bounded: a line may be one long run of blanks.
        run = blanks.group(0)
        return rb"(?: {0,8}\t| {2,16})" if b"\t" in run else rb"(?: {%d}| {0,8}\t)" % len(run)

    parts = _BLANKS.split(literal)
    runs = [loosened(blanks) for blanks in _BLANKS.finditer(literal)]
    return b"".join(re.escape(part) + run for part, run in zip(parts, [*runs, b""], strict=True))


def _miss(proof: _Proof, matched: int, at: int) -> str:
    have = " ... ".join(literal.decode() for literal in proof.literals[:matched])
    return f"line {at} holds {have!r}, but not {proof.literals[matched].decode()!r} after it"


def _proved_at(block: bytes, proof: _Proof) -> int | None:
    if len(proof.literals) == 1 and not proof.unless:
        position = block.find(proof.telling)
        return position if position >= 0 else None
    if any(literal not in block for literal in proof.literals):
        return None
    # The search continues behind a line that has all literals and one of `unless`.
    begin = 0
    for _ in range(_LINES_TRIED):
        found = _partial(block, proof.literals, begin)
        if not found or found[-1][0] < len(proof.literals):
            return None
        position = found[-1][1]
        end = block.find(b"\n", position)
        begin = len(block) if end < 0 else end
        if not any(block.find(text, position, begin) >= 0 for text in proof.unless):
            return position
    return None


def _partial(block: bytes, literals: tuple[bytes, ...], begin: int = 0) -> list[tuple[int, int]]:
    # For each line with the first literal: the number of literals in order, and its position.
    found: list[tuple[int, int]] = []
    position = block.find(literals[0], begin)
    while position >= 0 and len(found) < _LINES_TRIED:
        end = block.find(b"\n", position)
        end = len(block) if end < 0 else end
        after, matched = position + len(literals[0]), 1
        for literal in literals[1:]:
            at = block.find(literal, after, end)
            if at < 0:
                break
            after, matched = at + len(literal), matched + 1
        found.append((matched, position))
        if matched == len(literals):
            break
        position = block.find(literals[0], end)
    return found
