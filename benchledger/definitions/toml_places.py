"""Finds the line of each key, table and list element of a TOML text, which the parser does not report."""

from __future__ import annotations

import re

_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|\#[^\n]*|\n'
    r"|[\[\]{},=]|[^\s\[\]{},=\"'#]+",
    re.DOTALL,
)
_OPEN = {"[": "]", "{": "}"}


def places(text: str) -> dict[str, int]:
    """Returns the line of every dotted place, such as "record.0.templates.2", of a valid TOML text."""
    walk = _Walk(text)
    walk.statements()
    return walk.lines


class _Walk:
    def __init__(self, text: str) -> None:
        self.lines: dict[str, int] = {}
        self._counts: dict[str, int] = {}
        self._tokens: list[tuple[str, int]] = []
        line, counted = 1, 0
        for match in _TOKEN.finditer(text):
            line += text.count("\n", counted, match.start())
            counted = match.start()
            if not match.group(0).startswith("#"):
                self._tokens.append((match.group(0), line))
        self._next = 0

    def statements(self) -> None:
        table = ""
        while self._next < len(self._tokens):
            token, line = self._take()
            if token == "[":
                table = self._header(line)
            elif token != "\n":
                self._key_and_value(table, token, line)

    def _header(self, line: int) -> str:
        listed = self._peek() == "["
        name = _resolve(self._name_until("]").lstrip("["), self._counts)
        if listed:
            self._take()
            self._counts[name] = self._counts.get(name, -1) + 1
            name = f"{name}.{self._counts[name]}"
        self.lines.setdefault(name, line)
        return name

    def _key_and_value(self, table: str, first: str, line: int) -> None:
        key = _bare(first) + self._name_until("=")
        place = f"{table}.{key}" if table else key
        self.lines.setdefault(place, line)
        self._value(place)

    def _value(self, place: str) -> None:
        opened, _ = self._take()
        if opened not in _OPEN:
            # A date and its time are two tokens.
            while self._peek() not in ("\n", ",", "]", "}", ""):
                self._take()
            return
        count = 0
        while self._peek() not in (_OPEN[opened], ""):
            token, line = self._tokens[self._next]
            if token in ("\n", ","):
                self._take()
                count += token == ","
            elif opened == "[":
                self.lines.setdefault(f"{place}.{count}", line)
                self._value(f"{place}.{count}")
            else:
                self._take()
                self._key_and_value(place, token, line)
        if self._peek():
            self._take()

    def _name_until(self, end: str) -> str:
        name = ""
        while self._peek() not in (end, ""):
            name += _bare(self._take()[0])
        if self._peek():
            self._take()
        return name

    def _peek(self) -> str:
        return self._tokens[self._next][0] if self._next < len(self._tokens) else ""

    def _take(self) -> tuple[str, int]:
        self._next += 1
        return self._tokens[self._next - 1]


def _bare(key: str) -> str:
    return key.strip("\"'")


def _resolve(name: str, counts: dict[str, int]) -> str:
    # [record.json] under [[record]] belongs to the last record: record.N.json.
    parts = name.split(".")
    for length in range(len(parts) - 1, 0, -1):
        head = ".".join(parts[:length])
        if head in counts:
            return f"{head}.{counts[head]}.{'.'.join(parts[length:])}"
    return name
