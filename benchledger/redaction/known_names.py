"""Replaces other occurrences of hosts and users that a rule found in the same log: most have no words around them.

A host is replaced as a whole word, a user as a whole folder (`/data/jdoe/run`): names of users are often words.
"""

from __future__ import annotations

import re

from benchledger.redaction.redactor import Redactor
from benchledger.redaction.rule_set import Search, folded, search_for

_AROUND = {
    "host": (re.compile(r"(?<![A-Za-z0-9-])"), re.compile(r"(?![A-Za-z0-9]|-\w)")),
    "user": (re.compile(r"(?<=/)"), re.compile(r"(?![^/\s:,;'\")\]>$])")),
}


class KnownNames:
    """The names that the rules found in a log so far."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._names: list[tuple[str, str]] = []
        self._search: Search | None = None

    def replace(self, text: str) -> str:
        """Replaces them in a part of the log, after adding the names found since `Redactor.forget_names`."""
        met = {(kind, part) for kind, name in self._redactor.met for part in (name, name.partition(".")[0])}
        fresh = sorted(name for name in met.difference(self._names) if self._redactor.recurs(*name))
        if fresh:
            self._names += fresh
            self._search = search_for([folded(name) for _, name in self._names])
        if self._search is None:
            return text
        out, last = [], 0
        found = self._search.find_matches_as_indexes(folded(text), overlapping=True)
        for number, start, end in sorted(found, key=lambda match: (match[1], -match[2])):
            kind, name = self._names[number]
            before, behind = _AROUND[kind]
            if start >= last and text[start:end] == name and before.match(text, start) and behind.match(text, end):
                out += [text[last:start], self._redactor.pseudonym(kind, name)]
                last = end
        return "".join([*out, text[last:]])
