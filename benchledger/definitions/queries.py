"""Shipped questions: one SQL file each, its first comment says what a row is, its parameters have defaults."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from benchledger.definitions.folders import definition_files
from benchledger.errors import DefinitionError, UsageError

Value = str | int | float | bool | None

_DECLARED = re.compile(r"--\s*\$(\w+)\s*=\s*(.*?)\s*")
_USED = re.compile(r"\$([A-Za-z_]\w*)")
# Comments and quoted text hold no parameters.
_SILENT = re.compile(r"--[^\n]*|'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"")
_WORDS: dict[str, Value] = {"null": None, "true": True, "false": False}


@dataclass(frozen=True)
class Query:
    """One question: `sentence` says what a row of its answer is, `parameters` holds the defaults."""

    name: str
    sentence: str
    parameters: Mapping[str, Value]
    sql: str
    path: Path

    def bind(self, given: Mapping[str, object]) -> dict[str, Value]:
        """The defaults with the given values in their place; text is read as the default's kind of value.

        Raises UsageError for a parameter that the question has not, or a value that is not of the default's kind.
        """
        bound = dict(self.parameters)
        for name, value in given.items():
            if name not in bound:
                known = ", ".join(f"{key} ({default!r})" for key, default in self.parameters.items()) or "none"
                raise UsageError(f"question {self.name!r} has no parameter {name!r}; it has: {known}")
            bound[name] = self._converted(name, value)
        return bound

    def _converted(self, name: str, value: object) -> Value:
        default = self.parameters[name]
        if isinstance(default, str):
            return str(value)
        try:
            converted = None if value is None else _literal(str(value))
        except ValueError:
            converted = str(value)
        if default is None or converted is None or _kind(converted) == _kind(default):
            return converted
        raise UsageError(f"parameter {name} of question {self.name!r} must be like {default!r}, not {value!r}")


def load_queries() -> dict[str, Query]:
    """Every question by its name, which is its file's. Raises DefinitionError with file and line."""
    found: dict[str, Query] = {}
    for path in definition_files("queries", ".sql"):
        if path.stem in found:
            raise DefinitionError(
                f"{path}:1: question {path.stem!r} exists already, in {found[path.stem].path}; rename it"
            )
        found[path.stem] = read_query(path)
    return dict(sorted(found.items()))


def find_query(name: str) -> Query:
    """The question of that name, `-` for `_` too. Raises UsageError with the known names."""
    queries = load_queries()
    name = name.replace("-", "_")
    if name not in queries:
        near = get_close_matches(name, queries, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise UsageError(f"no question {name!r}{hint}; known: {', '.join(queries)}")
    return queries[name]


def read_query(path: Path) -> Query:
    """Reads one question. Raises DefinitionError with file and line for a comment or parameter that is missing."""
    try:
        sql = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DefinitionError(f"{path}:1: cannot be read as UTF-8 text: {error}") from error
    sentence: list[str] = []
    parameters: dict[str, Value] = {}
    in_sentence = True
    for number, line in enumerate(sql.splitlines(), start=1):
        declared = _DECLARED.fullmatch(line.strip())
        if declared:
            try:
                parameters[declared[1]] = _literal(declared[2])
            except ValueError:
                raise DefinitionError(
                    f"{path}:{number}: the default of ${declared[1]} must be 'text', a number, true, false or null, "
                    f"not {declared[2]}"
                ) from None
        in_sentence = in_sentence and line.startswith("--") and not declared
        if in_sentence:
            sentence.append(line.removeprefix("--").strip())
    if not sentence:
        raise DefinitionError(f"{path}:1: the first line must be a comment that says what a row is")
    _check_parameters(path, sql, parameters)
    return Query(path.stem, " ".join(sentence), parameters, sql, path)


def _check_parameters(path: Path, sql: str, parameters: Mapping[str, Value]) -> None:
    spoken = _SILENT.sub(lambda match: "\n" * match[0].count("\n"), sql)
    used = {match[1]: spoken.count("\n", 0, match.start()) + 1 for match in _USED.finditer(spoken)}
    for name, line in used.items():
        if name not in parameters:
            raise DefinitionError(f"{path}:{line}: ${name} has no default; declare it in a comment: -- ${name} = '*'")
    for name in parameters:
        if name not in used:
            raise DefinitionError(f"{path}:1: ${name} is declared and not used; remove it")


def _kind(value: Value) -> str:
    return "truth" if isinstance(value, bool) else "text" if isinstance(value, str) else "number"


def _literal(text: str) -> Value:
    if len(text) >= 2 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    try:
        return int(text)
    except ValueError:
        return float(text)
