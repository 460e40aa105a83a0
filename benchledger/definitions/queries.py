"""Shipped queries: one SQL file each, whose first comments state what a row is, its parameters and an example."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchledger.definitions.folders import definition_files
from benchledger.definitions.query_header import Header, Value, read_header
from benchledger.definitions.regular_file import need_regular
from benchledger.errors import DefinitionError, UsageError, known, suggestion

# Comments and quoted text contain no parameters.
_TOKEN = re.compile(r"(?P<silent>--[^\n]*|'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\")|\$(?P<name>[A-Za-z_]\w*)")


@dataclass(frozen=True)
class Query:
    name: str
    header: Header
    sql: str
    path: Path

    @property
    def sentence(self) -> str:
        """What a row of the answer is."""
        return self.header.sentence

    @property
    def parameters(self) -> dict[str, Value]:
        return {name: parameter.default for name, parameter in self.header.parameters.items()}

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
            bound[name] = self.header.parameters[name].read(self.name, value)
        return bound

    def filled(self, given: Mapping[str, object]) -> str:
        """Returns its SQL with the values filled in, for any DuckDB shell. Raises UsageError as `bind` does."""
        bound = self.bind(given)
        declared = re.compile(r"--\s*(?:\$\w+\s*=|Example:)")
        sql = "".join(line for line in self.sql.splitlines(keepends=True) if not declared.match(line))
        filled = _outside(sql, lambda name: _literal(bound[name]))
        return filled.rstrip().removesuffix(";") + ";\n"


def load_queries() -> dict[str, Query]:
    """Returns every query by its name, which is its file's. Raises DefinitionError with file and line."""
    found: dict[str, Query] = {}
    for path in definition_files("queries", ".sql"):
        if "-" in path.stem:
            asked = path.stem.replace("-", "_")
            raise DefinitionError(f"{path}:1: name it {asked}.sql; bench query takes - for _ too")
        if path.stem in found:
            raise DefinitionError(
                f"{path}:1: query {path.stem!r} exists already, in {found[path.stem].path}; rename it"
            )
        found[path.stem] = read_query(path)
    return dict(sorted(found.items()))


def find_query(name: str) -> Query:
    queries = load_queries()
    name = name.replace("-", "_")
    if name not in queries:
        raise UsageError(
            f"no query {name!r}{suggestion(name, queries)}; known: {known(queries, name, '`bench query`')}"
        )
    return queries[name]


def read_query(path: Path) -> Query:
    """Returns one query. Raises DefinitionError with file and line for a missing comment or parameter."""
    need_regular(path)
    try:
        sql = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DefinitionError(f"{path}:1: cannot be read as UTF-8 text: {error}") from error
    header = read_header(path, sql)
    used = {match["name"]: sql.count("\n", 0, match.start()) + 1 for match in _TOKEN.finditer(sql) if match["name"]}
    for name, line in used.items():
        if name not in header.parameters:
            raise DefinitionError(f"{path}:{line}: ${name} has no default; declare it in a comment: -- ${name} = '*'")
    for name in header.parameters:
        if name not in used:
            raise DefinitionError(f"{path}:1: ${name} is declared and not used; remove it")
    return Query(path.stem, header, sql, path)


def _outside(sql: str, value: Callable[[str], str]) -> str:
    return _TOKEN.sub(lambda match: match[0] if match["silent"] else value(match["name"]), sql)


def _literal(value: Value) -> str:
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return "null" if value is None else str(value).lower()
