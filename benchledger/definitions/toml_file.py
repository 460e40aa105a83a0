"""Reads TOML files so that errors can name the line of any key."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NoReturn

from benchledger.definitions.regular_file import need_regular
from benchledger.errors import DefinitionError, suggestion

# Python converts no number of more than 4,300 digits to text.
_ENDLESS_NUMBER = re.compile(r"(?<!\w)(?:[0-9][0-9_]{3500}|0[xob][0-9a-fA-F_]{3500})", re.ASCII)
_MOST_UNKNOWN = 20
# A key with more names costs the parser the square of their number. The search begins where a name begins: within a
# long name it would take the square of its length.
_ENDLESS_KEY = re.compile(r"""(?<![\w"'-])(?:[\w"'-]+[ \t]*\.[ \t]*){64}""", re.ASCII)
_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|\#[^\n]*|\n'
    r"|[\[\]{},=]|[^\s\[\]{},=\"'#]+",
    re.DOTALL,
)
_OPEN = {"[": "]", "{": "}"}


@dataclass(frozen=True)
class TomlFile:
    """A parsed TOML file; places are dotted paths such as "record.0.templates"."""

    path: Path
    data: dict[str, Any]
    text: str = field(repr=False)

    @cached_property
    def lines(self) -> dict[str, int]:
        """The line of each place, computed at the first error."""
        return places(self.text)

    @cached_property
    def text_lines(self) -> list[str]:
        return self.text.splitlines()

    def line_of(self, place: str) -> int:
        """Returns the line of a place, or of the nearest place above it."""
        while place:
            if place in self.lines:
                return self.lines[place]
            place = place.rpartition(".")[0]
        return 1

    def fail(self, place: str, problem: str) -> NoReturn:
        """Raises DefinitionError with the file and line of a place."""
        raise DefinitionError(f"{self.path}:{self.line_of(place)}: {problem}")

    def refuse_unknown(self, place: str, table: dict[str, Any], known: set[str]) -> None:
        """Raises DefinitionError for unknown keys, with the known ones."""
        unknown = [key for key in table if key not in known]
        problems = [
            f"{self.path}:{self.line_of(f'{place}.{key}' if place else key)}: "
            f"unknown key {key!r}{suggestion(key, known)}; known here: {', '.join(sorted(known))}"
            for key in unknown[:_MOST_UNKNOWN]
        ]
        if len(unknown) > _MOST_UNKNOWN:
            problems.append(f"{self.path}: and {len(unknown) - _MOST_UNKNOWN:,} more unknown keys")
        if problems:
            raise DefinitionError("\n".join(problems))


def read_toml(path: Path, most_bytes: int | None = None) -> TomlFile:
    """Returns one TOML file. Raises DefinitionError with file and line if it is not TOML, not UTF-8 or too long."""
    need_regular(path)
    try:
        with path.open("rb") as file:
            raw = file.read() if most_bytes is None else file.read(most_bytes + 1)
    except OSError as error:
        raise DefinitionError(f"{path}:1: cannot be read as UTF-8 text: {error}") from error
    if most_bytes is not None and len(raw) > most_bytes:
        raise DefinitionError(f"{path}:1: longer than {most_bytes:,} bytes: no {path.name} is")
    return parse_toml(path, raw)


# Thirty formats use the same rules, leads and vocabulary: the same text is parsed once.
@lru_cache(maxsize=256)
def parse_toml(path: Path, raw: bytes) -> TomlFile:
    # Imported late: definitions that come from the cache need no parser.
    import tomllib

    try:
        text = raw.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise DefinitionError(f"{path}:1: cannot be read as UTF-8 text: {error}") from error
    if endless := _ENDLESS_KEY.search(text):
        line = text.count("\n", 0, endless.start()) + 1
        raise DefinitionError(f"{path}:{line}: a key of more than 64 names joined by dots: divide it into tables")
    if endless := _ENDLESS_NUMBER.search(text):
        line = text.count("\n", 0, endless.start()) + 1
        raise DefinitionError(f"{path}:{line}: a number of more than 3,500 digits")
    try:
        data = tomllib.loads(text)
    except RecursionError as error:
        raise DefinitionError(f"{path}:1: lists or tables are nested too deep: remove some layers") from error
    except tomllib.TOMLDecodeError as error:
        match = re.search(r"line (\d+)", str(error))
        raise DefinitionError(f"{path}:{match.group(1) if match else 1}: not TOML: {error}") from error
    return TomlFile(path, data, text)


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
