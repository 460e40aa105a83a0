"""Selects the lines of a long text that need a closer look.

It searches the whole text at once for the literals and patterns that the rules need.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from benchledger.definitions.redaction import RedactionRules

# Patterns that each kind of address, and the name of a registry, must contain.
_NEEDED = (
    re.compile(r"\.\d{1,3}\.\d{1,3}\.\d"),
    re.compile(r"-\d{1,3}-\d{1,3}-\d"),
    re.compile(r":(?:[0-9A-Fa-f]{1,39}:){5}"),
    re.compile(r":(?:[0-9A-Fa-f]{2}:){4}"),
    re.compile(r"-(?:[0-9A-Fa-f]{2}-){4}"),
    re.compile(r":\d{2,5}/[A-Za-z]"),
)
_SIGNS = ("://", "@", "::")


class LineFilter:
    """Finds the lines that contain something that a rule needs; every other line stays as it is."""

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
        """Returns the starts of the lines that need a closer look."""
        lower = text.lower()
        if len(lower) != len(text):
            # A rare letter is longer in lower case: offsets would differ, so every line is selected.
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
    """Returns the regex of the endings of machine names that are recognised by their domain, in lower case."""
    endings = "|".join(map(re.escape, sorted(rules.top_level | rules.internal)))
    return re.compile(rf"\.(?:{endings})(?![\w-])")


def shortest(literals: Iterable[str]) -> tuple[str, ...]:
    """Returns the literals that contain no other literal: a text without these has none at all."""
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
