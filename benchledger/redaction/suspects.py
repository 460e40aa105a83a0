"""Which lines of a long text need a closer look: what every rule needs is searched for in the whole text at once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from benchledger.definitions.redaction import RedactionRules

# What each kind of address, and a registry's name, cannot be without.
_NEEDED = (
    re.compile(r"\.\d{1,3}\.\d{1,3}\.\d"),
    re.compile(r"-\d{1,3}-\d{1,3}-\d"),
    re.compile(r":(?:[0-9A-Fa-f]{1,39}:){5}"),
    re.compile(r":(?:[0-9A-Fa-f]{2}:){4}"),
    re.compile(r"-(?:[0-9A-Fa-f]{2}-){4}"),
    re.compile(r":\d{2,5}/[A-Za-z]"),
)
_SIGNS = ("://", "@", "::")


class Suspects:
    """Finds the lines that hold what some rule needs; every other line stays as it is."""

    def __init__(
        self,
        rules: RedactionRules,
        literals: Iterable[str],
        patterns: Iterable[re.Pattern[str]],
        key_hints: Iterable[str],
    ) -> None:
        self._literals = shortest({*literals, *_SIGNS})
        self._key_hints = shortest(key_hints)
        self._needed = (*_NEEDED, *patterns)
        self._domain_ending = domain_ending(rules)

    def starts(self, text: str) -> set[int]:
        """Where the lines begin that have to be looked at."""
        lower = text.lower()
        if len(lower) != len(text):
            # A rare letter has a longer small form: places differ, so every line is looked at.
            return {0, *(match.end() for match in re.finditer("\n", text))}
        found: set[int] = set()
        for literal in self._literals:
            found.update(_with_literal(text, literal))
        for hint in self._key_hints:
            found.update(_with_literal(lower, hint))
        found.update(_with_pattern(lower, self._domain_ending))
        for regex in self._needed:
            found.update(_with_pattern(text, regex))
        return found


def domain_ending(rules: RedactionRules) -> re.Pattern[str]:
    """How the name of a machine ends that is told by its domain, in small letters."""
    endings = "|".join(map(re.escape, sorted(rules.top_level | rules.internal)))
    return re.compile(rf"\.(?:{endings})(?![\w-])")


def shortest(literals: Iterable[str]) -> tuple[str, ...]:
    """Those literals that hold no other of them: a text without these lacks all."""
    kept: list[str] = []
    for literal in sorted(set(literals), key=lambda one: (len(one), one)):
        if not any(other in literal for other in kept):
            kept.append(literal)
    return tuple(kept)


def _with_literal(text: str, literal: str) -> Iterator[int]:
    at = text.find(literal)
    while at >= 0:
        yield text.rfind("\n", 0, at) + 1
        end = text.find("\n", at)
        at = text.find(literal, end) if end >= 0 else -1


def _with_pattern(text: str, regex: re.Pattern[str]) -> Iterator[int]:
    match = regex.search(text)
    while match is not None:
        yield text.rfind("\n", 0, match.start()) + 1
        end = text.find("\n", match.start())
        match = regex.search(text, end) if end >= 0 else None
