"""The checks of `bench audit`: SQL files, and TOML files with named expectations of Great Expectations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchledger.definitions.folders import definition_files
from benchledger.definitions.queries import Value, read_query
from benchledger.definitions.toml_file import read_toml
from benchledger.definitions.toml_table import Table
from benchledger.errors import DefinitionError, unknown_name

FOLDER = "schema/expectations"
SEVERITIES = ("error", "warning", "note")

_ID = re.compile(r"[a-z][a-z0-9_]*")
_SEVERITY = re.compile(r"--\s*severity:\s*(.*?)\s*")
_KEYS = ("check", "sentence", "severity", "on", "expectation", "arguments", "about")


@dataclass(frozen=True)
class Check:
    """One check: `sentence` says what a finding is. `sql` selects the findings, or `expectation` is applied to `on`.

    `on` is a table, a view or a select with the columns of a finding; `about` says what is expected of its rows.
    """

    check: str
    sentence: str
    severity: str
    path: Path
    line: int = 1
    sql: str | None = None
    parameters: Mapping[str, Value] = field(default_factory=dict)
    on: str | None = None
    expectation: str | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    about: str | None = None


def load_checks() -> dict[str, Check]:
    found: dict[str, Check] = {}
    for check in _all_checks():
        if check.check in found:
            where, other = f"{check.path}:{check.line}", found[check.check].path
            raise DefinitionError(f"{where}: check {check.check!r} exists already, in {other}; rename it")
        found[check.check] = check
    return dict(sorted(found.items(), key=lambda item: (SEVERITIES.index(item[1].severity), item[0])))


def find_checks(names: Iterable[str]) -> list[Check]:
    checks = load_checks()
    wanted = list(dict.fromkeys(names))
    for name in wanted:
        if name not in checks:
            raise unknown_name("check", name, checks)
    return [check for name, check in checks.items() if not wanted or name in wanted]


def _all_checks() -> Iterator[Check]:
    for path in definition_files(FOLDER, ".sql"):
        yield read_sql_check(path)
    for path in definition_files(FOLDER, ".toml"):
        yield from read_expectations(path)


def read_sql_check(path: Path) -> Check:
    """Reads a check in SQL: a query with a line `-- severity: ...`. Raises DefinitionError with file and line."""
    question = read_query(path)
    _check_name(path.stem, f"{path}:1")
    stated = [
        (number, found[1], found[0].removeprefix("--").strip())
        for number, line in enumerate(question.sql.splitlines(), start=1)
        if (found := _SEVERITY.fullmatch(line.strip()))
    ]
    if len(stated) != 1:
        raise DefinitionError(f"{path}:1: state the severity in one line: -- severity: {' or '.join(SEVERITIES)}")
    number, severity, words = stated[0]
    if severity not in SEVERITIES:
        raise DefinitionError(f"{path}:{number}: severity must be one of {', '.join(SEVERITIES)}, not {severity!r}")
    sentence = question.sentence.replace(words, "").strip()
    if not sentence:
        raise DefinitionError(f"{path}:1: the first line must be a comment that says what a finding is")
    return Check(path.stem, sentence, severity, path, sql=question.sql, parameters=question.parameters)


def _check_name(name: str, where: str) -> None:
    if not _ID.fullmatch(name):
        raise DefinitionError(
            f"{where}: the name of a check has lower-case letters, digits and _ only, not {name!r}; rename it"
        )


def read_expectations(path: Path) -> list[Check]:
    """Returns the named expectations of a TOML file. Raises DefinitionError with file and line."""
    file = read_toml(path)
    return [_expectation(table) for table in Table(file, "", file.data, {"check"}).tables("check", _KEYS)]


def _expectation(table: Table) -> Check:
    name, expectation = table.text("check"), table.text("expectation")
    line = table.file.line_of(table.where("check"))
    _check_name(name, f"{table.file.path}:{line}")
    if not re.fullmatch(r"Expect\w+", expectation):
        example = "ExpectColumnValuesToBeBetween"
        table.fail("expectation", f"expectation is the name of one, such as {example}, not {expectation!r}")
    return Check(
        name,
        table.text("sentence"),
        table.choice("severity", SEVERITIES),
        table.file.path,
        line,
        on=table.text("on"),
        expectation=expectation,
        arguments=table.any_values("arguments"),
        about=table.text_or_none("about"),
    )
