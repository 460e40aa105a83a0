"""Replaces the hosts of one log wherever else they stand in it: a rule finds most names of a host only once."""

from __future__ import annotations

import re

from benchledger.redaction.redactor import Redactor
from benchledger.redaction.rule_set import Search, folded, search_for

_BEFORE = re.compile(r"(?<![A-Za-z0-9-])")
_BEHIND = re.compile(r"(?![A-Za-z0-9]|-\w)")


class KnownHosts:
    """The hosts that a log has named so far."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._names: list[str] = []
        self._search: Search | None = None

    def replace(self, text: str) -> str:
        """Replaces them in a part of the log. Those that were met since `Redactor.forget_hosts` become known first."""
        met = {part for name in self._redactor.hosts for part in (name, name.partition(".")[0])}
        fresh = sorted(name for name in met.difference(self._names) if self._redactor.recurs(name))
        if fresh:
            self._names += fresh
            self._search = search_for([folded(name) for name in self._names])
        if self._search is None:
            return text
        out, last = [], 0
        found = self._search.find_matches_as_indexes(folded(text), overlapping=True)
        for number, start, end in sorted(found, key=lambda match: (match[1], -match[2])):
            name = self._names[number]
            is_whole = start >= last and _BEFORE.match(text, start) and _BEHIND.match(text, end)
            if is_whole and text[start:end] == name:
                out += [text[last:start], self._redactor.host(name)]
                last = end
        return "".join([*out, text[last:]])
