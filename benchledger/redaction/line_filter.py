"""Selects the lines of a long text that need a closer look.

It searches the whole text at once for the literals and patterns that the rules need.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from benchledger.redaction.rule_set import RuleSet, folded

# Patterns that each kind of address must contain.
_NEEDED = (
    re.compile(r"\.\d{1,3}\.\d{1,3}\.\d"),
    re.compile(r"-\d{1,3}-\d{1,3}-\d"),
    re.compile(r":(?:[0-9A-Fa-f]{1,39}:){5}"),
    re.compile(r":(?:[0-9A-Fa-f]{2}:){4}"),
    re.compile(r"-(?:[0-9A-Fa-f]{2}-){4}"),
    re.compile(r"::"),
    re.compile(r"\.[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}(?![\w.])"),
    # What plain_text (forms.py) removes, and escaped characters, each by its first character, which is fast.
    re.compile(r"\\(?=/|u00)"),
    re.compile(r"\x1b"),
    re.compile(r"/(?<=\w/)\.?/"),
    re.compile(r"%(?=2[6Ff]|3[ADad]|40)"),
)


class LineFilter:
    """Finds the lines that contain something that a rule needs; every other line stays as it is."""

    def __init__(self, rules: RuleSet, patterns: Iterable[re.Pattern[str]], folded_pattern: re.Pattern[str]) -> None:
        self._rules = rules
        self._needed = (*_NEEDED, *patterns)
        self._folded_pattern = folded_pattern

    def starts(self, text: str) -> set[int]:
        """Returns the starts of the lines that need a closer look."""
        data = folded(text)
        found: set[int] = set()
        checked = -1
        for _, start, _ in self._rules.places(data):
            if start > checked:
                found.add(data.rfind(b"\n", 0, start) + 1)
                checked = data.find(b"\n", start) % (len(data) + 1)
        for regex in self._needed:
            found.update(_with_pattern(text, regex))
        found.update(_with_pattern(data.decode("ascii"), self._folded_pattern))
        return found


def _with_pattern(text: str, regex: re.Pattern[str]) -> Iterator[int]:
    match = regex.search(text)
    while match is not None:
        yield text.rfind("\n", 0, match.start()) + 1
        end = text.find("\n", match.start())
        match = regex.search(text, end) if end >= 0 else None
