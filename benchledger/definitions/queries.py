"""Shipped queries: one SQL file each, whose first comments state what a row is, its parameters and an example."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NoReturn

from benchledger.definitions.folders import named_files
from benchledger.definitions.regular_file import need_regular
from benchledger.errors import DefinitionError, UsageError, known, suggestion, unknown_name

Value = str | int | float | bool | None

_DECLARED = re.compile(
    r"--\s*\$(?P<name>\w+)\s*=\s*(?P<default>'(?:[^']|'')*'|\S+)"
    r"(?:,\s*(?P<kind>a glob of|one of)\s+(?P<of>.+?))?\s*"
)
_EXAMPLE = re.compile(r"--\s*Example:\s*(?P<command>.+?)\s*")
_COLUMN = re.compile(r"(?P<table>(?:\w+\.)?\w+)\.(?P<column>\w+)")
_WORDS = re.compile(r"'([^']*)'(?:,\s*|$)")
_LITERALS: dict[str, Value] = {"null": None, "true": True, "false": False}
# Comments and quoted text contain no parameters.
_TOKEN = re.compile(r"(?P<silent>--[^\n]*|'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\")|\$(?P<name>[A-Za-z_]\w*)")


@dataclass(frozen=True)
class Parameter:
    """A parameter: its default, and the column of the ledger or the list of words that its values must match."""

    name: str
    default: Value
    glob: bool = False
    column: tuple[str, str] | None = None
    words: tuple[str, ...] = ()

    def read(self, question: str, value: object) -> Value:
        """Returns a value with the type of the default. Raises UsageError for another type or an unlisted word."""
        converted = self._converted(question, value)
        if self.words and converted != self.default and not any(self._means(converted, word) for word in self.words):
            listed = known(self.words, str(converted))
            raise UsageError(f"parameter {self.name} of query {question!r}: no {converted!r}; known: {listed}")
        return converted

    def _means(self, value: Value, word: str) -> bool:
        return fnmatchcase(word, str(value)) if self.glob else value == word

    def _converted(self, question: str, value: object) -> Value:
        if isinstance(self.default, str):
            return str(value)
        try:
            converted = None if value is None else literal(str(value))
        except ValueError:
            converted = str(value)
        if self.default is None or converted is None or _kind(converted) == _kind(self.default):
            return converted
        raise UsageError(f"parameter {self.name} of query {question!r} must be like {self.default!r}, not {value!r}")


def _read_comments(path: Path, sql: str) -> tuple[str, dict[str, Parameter], str | None]:
    """Returns the sentence, parameters and example in the first comments of a query."""
    sentence: list[str] = []
    parameters: dict[str, Parameter] = {}
    example, example_line = None, 1
    in_sentence = True
    for number, line in enumerate(sql.splitlines(), start=1):
        text = line.strip()
        if re.match(r"--\s*\$\w+\s*=", text):
            parameter = _parameter(path, number, text)
            parameters[parameter.name] = parameter
            in_sentence = False
        elif found := _EXAMPLE.fullmatch(text):
            example, example_line, in_sentence = found["command"], number, False
        in_sentence = in_sentence and text.startswith("--")
        if in_sentence:
            sentence.append(text.removeprefix("--").strip())
    if not sentence:
        _fail(path, 1, "the first line must be a comment that says what a row is")
    if example:
        _check_example(path, example_line, example, parameters)
    return " ".join(sentence), parameters, example


def pairs(parameters: tuple[str, ...] | list[str]) -> dict[str, str]:
    """Returns NAME=VALUE parameters of a command line by name. Raises UsageError for another form."""
    found: dict[str, str] = {}
    for parameter in parameters:
        name, equals, value = parameter.partition("=")
        if not equals or not name:
            raise UsageError(f"-p {parameter!r} must read NAME=VALUE")
        found[name] = value
    return found


def literal(text: str) -> Value:
    """Returns the value of an SQL literal: 'text', a number, true, false or null. Raises ValueError for others."""
    if len(text) >= 2 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    if text.lower() in _LITERALS:
        return _LITERALS[text.lower()]
    try:
        return int(text)
    except ValueError:
        number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is no number that SQL can write")
    return number


def _parameter(path: Path, line: int, text: str) -> Parameter:
    declared = _DECLARED.fullmatch(text)
    if declared is None:
        _fail(path, line, f"{text.removeprefix('--').strip()} must read $name = 'default', a glob of table.column")
    name, of = declared["name"], declared["of"]
    try:
        default = literal(declared["default"])
    except ValueError:
        _fail(
            path,
            line,
            f"the default of ${name} must be 'text', a number, true, false or null, not {text}",
        )
    if of is None:
        return Parameter(name, default)
    glob = declared["kind"] == "a glob of"
    if column := _COLUMN.fullmatch(of):
        return Parameter(name, default, glob, column=(column["table"], column["column"]))
    words = tuple(_WORDS.findall(of))
    if not words or _WORDS.sub("", of).strip():
        _fail(path, line, f"${name} is of a column, such as run.status, or of words, such as 'a', 'b', not {of}")
    return Parameter(name, default, glob, words=words)


def _check_example(path: Path, line: int, example: str, parameters: Mapping[str, Parameter]) -> None:
    try:
        words = shlex.split(example)
    except ValueError as error:
        _fail(path, line, f"the example is no command line: {error}")
    if words[:2] != ["bench", "query"] or len(words) < 3 or words[2].replace("-", "_") != path.stem:
        _fail(path, line, f"the example must be of this query: bench query {path.stem}")
    rest = words[3:]
    if any(word != "-p" for word in rest[::2]) or len(rest) % 2:
        _fail(path, line, f"an example gives parameters and nothing else: bench query {path.stem} -p NAME=VALUE")
    try:
        for name, value in pairs(rest[1::2]).items():
            if name not in parameters:
                _fail(path, line, f"the example gives ${name}, which is not declared")
            parameters[name].read(path.stem, value)
    except UsageError as error:
        _fail(path, line, f"the example: {error}")


def _fail(path: Path, line: int, problem: str) -> NoReturn:
    raise DefinitionError(f"{path}:{line}: {problem}")


def _kind(value: Value) -> str:
    return "truth" if isinstance(value, bool) else "text" if isinstance(value, str) else "number"


@dataclass(frozen=True)
class Query:
    """A query; `sentence` says what a row of its answer is."""

    name: str
    sentence: str
    declared: Mapping[str, Parameter]
    example: str | None
    sql: str
    path: Path

    @property
    def parameters(self) -> dict[str, Value]:
        return {name: parameter.default for name, parameter in self.declared.items()}

    def bind(self, given: Mapping[str, object]) -> dict[str, Value]:
        """Returns the defaults, replaced by the given values; text is converted to the type of the default.

        Raises UsageError for an unknown parameter or an invalid value.
        """
        bound = self.parameters
        for name, value in given.items():
            if name not in bound:
                defaults = ", ".join(f"{key} ({default!r})" for key, default in bound.items()) or "none"
                raise UsageError(
                    f"query {self.name!r} has no parameter {name!r}{suggestion(name, bound)}; it has: {defaults}"
                )
            bound[name] = self.declared[name].read(self.name, value)
        return bound

    def filled(self, given: Mapping[str, object]) -> str:
        """Returns its SQL with the values filled in, for any DuckDB shell. Raises UsageError as `bind` does."""
        bound = self.bind(given)
        declared = re.compile(r"--\s*(?:\$\w+\s*=|Example:)")
        sql = "".join(line for line in self.sql.splitlines(keepends=True) if not declared.match(line))
        filled = _TOKEN.sub(lambda match: match[0] if match["silent"] else sql_literal(bound[match["name"]]), sql)
        return filled.rstrip().removesuffix(";") + ";\n"


def load_queries() -> dict[str, Query]:
    """Returns every query by its name, which is its file's. Raises DefinitionError with file and line."""
    files = named_files("queries", ".sql", "query")
    for name, path in files.items():
        if "-" in name:
            raise DefinitionError(f"{path}:1: name it {name.replace('-', '_')}.sql; bench query takes - for _ too")
    return {name: read_query(path) for name, path in files.items()}


def find_query(name: str) -> Query:
    queries = load_queries()
    name = name.replace("-", "_")
    if name not in queries:
        raise unknown_name("query", name, queries, "`bench query`")
    return queries[name]


def read_query(path: Path) -> Query:
    """Returns one query. Raises DefinitionError with file and line for a missing comment or parameter."""
    need_regular(path)
    try:
        sql = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DefinitionError(f"{path}:1: cannot be read as UTF-8 text: {error}") from error
    sentence, declared, example = _read_comments(path, sql)
    used = {match["name"]: sql.count("\n", 0, match.start()) + 1 for match in _TOKEN.finditer(sql) if match["name"]}
    for name, line in used.items():
        if name not in declared:
            raise DefinitionError(f"{path}:{line}: ${name} has no default; declare it in a comment: -- ${name} = '*'")
    for name in declared:
        if name not in used:
            raise DefinitionError(f"{path}:1: ${name} is declared and not used; remove it")
    return Query(path.stem, sentence, declared, example, sql, path)


def sql_literal(value: object) -> str:
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return "null" if value is None else str(value).lower()
