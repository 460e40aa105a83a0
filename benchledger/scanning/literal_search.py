"""Finds which of many literals occur in a text, in one pass over its bytes."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property, lru_cache

from ahocorasick_rs import MATCHKIND_LEFTMOST_FIRST, BytesAhoCorasick, Implementation

from benchledger.scanning import native_scanner

# A match is a tuple. The text is searched in parts, so that many matches do not fill the memory.
_PART = 65_536
_REMEMBERED = 4_096
_NONE: frozenset[bytes] = frozenset()


class LiteralSearch:
    """Searches texts for a fixed set of literals, none of them empty.

    `rare`: few literals, which most texts lack. `native`: by the extension if it is available, else by Aho-Corasick.
    """

    def __init__(self, literals: Iterable[bytes], rare: bool = False, native: bool = True) -> None:
        self._literals = list(dict.fromkeys(literals))
        self._overlap = max(map(len, self._literals), default=1) - 1
        self._rare = rare
        self._native = native_scanner.literals(self._literals) if native else None
        # Cached, because logs of one program contain the same literals.
        self._marked = lru_cache(_REMEMBERED)(self._by_marks)

    def found_in(self, text: bytes) -> frozenset[bytes]:
        if not self._literals:
            return _NONE
        if self._native is None:
            return self._by_automata(text)
        return self._marked(self._native.found_in(text))

    def _by_marks(self, marks: bytes) -> frozenset[bytes]:
        return frozenset(literal for literal, there in zip(self._literals, marks, strict=True) if there)

    @cached_property
    def _all(self) -> BytesAhoCorasick:
        # The full automaton takes 2 ms to build for a hundred literals, and searches twice as fast as the compact ones.
        return BytesAhoCorasick(self._literals, implementation=Implementation.DFA)

    @cached_property
    def _any(self) -> BytesAhoCorasick | None:
        # Twenty times as fast, but of overlapping matches it finds only one.
        return BytesAhoCorasick(self._literals, matchkind=MATCHKIND_LEFTMOST_FIRST) if self._rare else None

    def _by_automata(self, text: bytes) -> frozenset[bytes]:
        view, found = memoryview(text), set[int]()
        for start in range(0, len(text), _PART):
            part = view[start : start + _PART + self._overlap]
            if self._any is None or self._any.find_matches_as_indexes(part):
                found.update(match[0] for match in self._all.find_matches_as_indexes(part, overlapping=True))
        return frozenset(self._literals[index] for index in found)
