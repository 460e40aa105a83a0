"""Replaces other occurrences of hosts and users that a rule found in the same log: most have no words around them.

A host is replaced as a whole word, a user as a whole folder (`/data/jdoe/run`), since names of users are often words,
and as a word if it is none that logs use. What a number follows is the name of a value: `samples: 12` stays, unless it
begins a line (`jdoe  31220 31100 99`) or has digits itself.
"""

from __future__ import annotations

import re

from benchledger.redaction.forms import STYLE
from benchledger.redaction.redactor import Redactor
from benchledger.redaction.rule_set import Search, folded, search_for

_HOST = re.compile(r"(?<![A-Za-z0-9-])"), re.compile(r"(?![A-Za-z0-9]|-\w)")
# nvidia-smi cuts the beginning of a long path: `...jdoe/miniconda3`
_FOLDER = re.compile(r"(?<=/)|(?<=\.\.\.)"), re.compile(r"(?![^/\s:,;'\")\]>$])")
_WORD = re.compile(r"(?<![A-Za-z0-9.])"), re.compile(r"(?![A-Za-z0-9]|[\w/-]{0,32}[\"']?\s{0,8}[:=]?\s{0,8}[-+.]?\d)")
_CELL = re.compile(r"(?<![A-Za-z0-9.])"), re.compile(r"(?=[ \t]{1,32}+\d)")
_LONGEST_INDENT = 64

# To make a search costs time quadratic in its names. Only the last search is made again when names are added.
_NAMES_PER_SEARCH = 4096


class KnownNames:
    """The names that the rules found in a log so far."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._names: set[tuple[str, str]] = set()
        self._searches: list[tuple[list[tuple[str, str]], Search]] = []

    def replace(self, text: str) -> str:
        """Replaces them in a part of the log, after adding the names found since `Redactor.forget_names`."""
        met = {(kind, part) for kind, name in self._redactor.met for part in (name, name.partition(".")[0])}
        fresh = sorted(name for name in met.difference(self._names) if self._redactor.recurs(*name))
        while fresh:
            last = self._searches.pop()[0] if len(self._names) % _NAMES_PER_SEARCH else []
            names = last + fresh[: _NAMES_PER_SEARCH - len(last)]
            fresh = fresh[len(names) - len(last) :]
            self._names.update(names)
            self._searches.append((names, search_for([folded(name) for _, name in names])))
        if not self._searches:
            return text
        data = folded(text)
        # The last letter of a colour code is no part of the name behind it.
        signs = STYLE.sub(lambda code: " " * len(code[0]), text)
        found = [
            (start, -end, *names[number])
            for names, search in self._searches
            for number, start, end in search.find_matches_as_indexes(data, overlapping=True)
        ]
        out, last_end = [], 0
        for start, minus_end, kind, name in sorted(found):
            end = -minus_end
            if start < last_end or text[start:end] != name:
                continue
            is_word = kind == "user" and self._redactor.is_distinct(name)
            around: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]
            around = (_HOST,) if kind == "host" else (_FOLDER, _WORD) if is_word else (_FOLDER,)
            begins_line = not signs[max(0, start - _LONGEST_INDENT) : start].rpartition("\n")[2].strip()
            if is_word and (begins_line or any(map(str.isdigit, name))):
                around += (_CELL,)
            if any(before.match(signs, start) and behind.match(signs, end) for before, behind in around):
                out += [text[last_end:start], self._redactor.pseudonym(kind, name)]
                last_end = end
        return "".join([*out, text[last_end:]])
