"""Private cells of the tables in a log: the title of a column tells what its cells are, as the name of a field does."""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchledger.redaction.redactor import Redactor

_SIGNS = "\t|;,"
_CELL = {sign: re.compile(rf'[ ]*+(?:"((?:[^"\r\n]|"")*+)"|([^{sign}"\r\n]*+))[ ]*(?:{re.escape(sign)}|\r?$)')
         for sign in _SIGNS}  # fmt: skip
_TITLE = re.compile(r"(?:[A-Za-z#%][\w#%./()\[\]-]{0,40}(?: [\w#%./()\[\]-]{1,40}){0,3})?")
_CAPITALS = re.compile(r"[ \t]*(?:[A-Z%][A-Z0-9_()%/+:-]*(?:[ \t]+|\r?$)){4,}")
_SPACED = re.compile(r"[ \t]*(?:[A-Za-z][\w/-]*(?: |[ \t]{2,}|\r?$)){4,}")
_RULER = re.compile(r"[-+=|: \t]*\r?")
_LONGEST = 2_000
Span = tuple[int, int]


class Table:
    """The rows below one line of titles."""

    stays = True

    def __init__(self, sign: str, spans: list[Span], titles: dict[int, tuple[str, str]]) -> None:
        """`titles`: of each private column the title and the name of a field that it ends with."""
        self._sign, self._spans, self._titles = sign, spans, titles

    def redact(self, line: str, redactor: Redactor) -> str | None:
        """Returns the row with pseudonyms in its private cells; None if the line is no row of the table."""
        if line.strip() and _RULER.fullmatch(line):
            columns = [match.span() for match in re.finditer(r"[-=]+", line)]
            if not self._sign and len(columns) == len(self._spans):
                # In sacct's tables the columns are wider than their titles; the ruler shows their width.
                self._spans = columns
            return line
        cells = _cells(line, self._sign) if self._sign else self._aligned(line)
        if len(cells) != len(self._spans):
            return None
        out, last = "", 0
        for number, (title, name) in self._titles.items():
            start, end = cells[number]
            if line[start:end] == title:
                return None  # the titles once more
            # A word may stand below two titles.
            if last <= start < end:
                out += line[last:start] + redactor.cell(name, line[start:end])
                last = end
        return out + line[last:]

    def _aligned(self, line: str) -> list[Span]:
        # Each column's word begins or ends where its title does; long cells push the rest of a row to the right.
        if len(line) > _LONGEST:
            return []
        words = [match.span() for match in re.finditer(r"\S+", line)]
        edges = {start for start, _ in words}, {end for _, end in words}
        fitting = sum(start in edges[0] or end in edges[1] for start, end in self._spans)
        if len(words) == len(self._spans) and 2 * fitting >= len(words):
            return words
        if 3 * fitting < 2 * len(self._spans):
            return []
        return [
            next((word for word in words if word[0] < end and start < word[1]), (0, 0)) for start, end in self._spans
        ]


def table_of(line: str, redactor: Redactor) -> Table | None:
    """Returns the table whose titles stand in a line; None if no title names private cells."""
    if "=" in line or ": " in line or ("] " in line and "|" not in line) or len(line) > _LONGEST:
        return None
    for sign in _SIGNS:
        if sign in line and (spans := _cells(line, sign)):
            return _table(sign, spans, line, redactor)
    if _CAPITALS.fullmatch(line) or (line.count("  ") > 2 and _SPACED.fullmatch(line)):
        return _table("", [match.span() for match in re.finditer(r"\S+", line)], line, redactor)
    return None


def _table(sign: str, spans: list[Span], line: str, redactor: Redactor) -> Table | None:
    names = [line[start:end] for start, end in spans]
    # `host, user` may end a sentence: a title has few words, and only one if there are but two.
    is_titles = all(map(_TITLE.fullmatch, names)) and (len(names) > 2 or not any(" " in title for title in names))
    if len(names) < 2 or not is_titles:
        return None
    titles = {number: (title, name) for number, title in enumerate(names) if (name := redactor.title(title))}
    return Table(sign, spans, titles) if titles else None


def _cells(line: str, sign: str) -> list[Span]:
    return list(_spans(line, sign))


def _spans(line: str, sign: str) -> Iterator[Span]:
    at = 0
    while match := _CELL[sign].match(line, at):
        start, end = match.span(1 if match[1] is not None else 2)
        yield start, start + len(line[start:end].rstrip())
        at = match.end()
        if not match[0].endswith(sign):
            return
