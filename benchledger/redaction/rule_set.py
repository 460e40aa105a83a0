"""Applies many regexes to a text: one search for their literals selects the few that can match."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Protocol


@dataclass
class Rule:
    """A regex with the text of each of its matches. A text without any of the hints (in any case) has no match.

    The regex is compiled at its first use: an ingest needs only few of them.
    """

    hints: tuple[str, ...]
    compiled: Callable[[], re.Pattern[str]]
    replace: Callable[[re.Match[str]], str]

    @cached_property
    def regex(self) -> re.Pattern[str]:
        return self.compiled()


class RuleSet:
    def __init__(self, rules: Iterable[Rule]) -> None:
        self.rules = tuple(rules)
        self._owners, self._search = _hint_search(tuple(rule.hints for rule in self.rules))

    def redact(self, text: str) -> str:
        found = self._search.find_matches_as_indexes(folded(text), overlapping=True)
        if not found:
            return text
        for number in sorted({number for hint, _, _ in found for number in self._owners[hint]}):
            text = self.rules[number].regex.sub(self.rules[number].replace, text)
        return text

    def places(self, data: bytes) -> list[tuple[int, int, int]]:
        """Returns where hints are in a folded text; at least one per line that has any."""
        return self._search.find_matches_as_indexes(data)


class Search(Protocol):
    def find_matches_as_indexes(self, data: bytes, overlapping: bool = False) -> list[tuple[int, int, int]]: ...


# A process that ingests often makes a redactor each time, mostly of the same rules.
@lru_cache(maxsize=4)
def _hint_search(hints: tuple[tuple[str, ...], ...]) -> tuple[list[list[int]], Search]:
    # For each hint the numbers of the rules that need it, and one search that finds all hints of a text.
    owners: dict[bytes, list[int]] = {}
    for number, hints_of_rule in enumerate(hints):
        for hint in {folded(hint) for hint in hints_of_rule}:
            owners.setdefault(hint, []).append(number)
    return list(owners.values()), search_for(list(owners))


def search_for(literals: list[bytes]) -> Search:
    try:
        from ahocorasick_rs import BytesAhoCorasick, Implementation
    except ModuleNotFoundError:
        # A machine that only makes runs (`bench run`) needs no library but click.
        return EachLiteral(literals)
    return BytesAhoCorasick(literals, implementation=Implementation.ContiguousNFA)


class EachLiteral:
    """Searches for one literal after the other, and finds overlapping ones too."""

    def __init__(self, literals: list[bytes]) -> None:
        self._literals = literals

    def find_matches_as_indexes(self, data: bytes, overlapping: bool = False) -> list[tuple[int, int, int]]:  # noqa: ARG002
        """Returns the number, start and end of each match, in the order of their starts."""
        found = []
        for number, literal in enumerate(self._literals):
            start = data.find(literal)
            while start >= 0:
                found.append((number, start, start + len(literal)))
                start = data.find(literal, start + 1)
        return sorted(found, key=lambda match: match[1])


def folded(text: str) -> bytes:
    """Returns a text in lower case, with one byte per character: `?` for each that is not ASCII."""
    return text.encode("ascii", "replace").lower()
