"""Reads run manifests: JSON beside a run's logs that states case, environment, files and exit."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from dataclasses import dataclass, field
from posixpath import isabs, normpath
from typing import Any

from benchledger.definitions.vocabulary import FactName, vocabulary

KEY = "benchledger_manifest"
VERSION = 1
FILES = "files"
# The fact of each key in the vocabulary; `case` and `environment` hold facts by their own names.
_FACTS = {
    "run": "run_name", "campaign": "campaign", "trial": "trial", "implementation": "implementation",
    "implementation_version": "implementation_version", "command": "command", "started_at": "started_at",
    "ended_at": "ended_at", "exit_code": "exit_code", "signal": "signal", "failure": "failure",
}  # fmt: skip
_TABLES = ("case", "environment")
_MOST_PROBLEMS = 100


@dataclass(frozen=True)
class Stated:
    """One key of a manifest: `fact` is its name in the vocabulary (None: version and files), `offset` in characters."""

    key: str
    fact: str | None
    value: str
    offset: int


@dataclass
class Manifest:
    """The statements of a manifest, or all its problems: a manifest with any problem states nothing."""

    stated: list[Stated] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    problems: list[tuple[int, str]] = field(default_factory=list)


class _TwiceError(ValueError):
    """Raised for a key that occurs twice in one object."""


class _TooManyError(Exception):
    """Raised after the last mistake that is listed."""


def facts_of_manifests() -> dict[str, str]:
    """Returns every key that states a fact, such as `case.model`, with the name of the fact."""
    known = vocabulary()
    found = dict(_FACTS)
    for table in _TABLES:
        found |= {f"{table}.{fact.name}": fact.name for fact in known.group(table)}
    found |= {f"case.{fact.name}": fact.name for fact in known.group("options")}
    return found


def read_manifest(text: str) -> Manifest:
    """Returns a manifest; a mistake is a problem with its place, never an exception."""
    manifest = Manifest()
    try:
        data = json.loads(text, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        manifest.problems.append((error.pos, f"bad manifest: no JSON: {error.msg}"))
        return manifest
    except (ValueError, RecursionError) as error:
        why = str(error) if isinstance(error, _TwiceError) else "a number too long, or nested too deep"
        manifest.problems.append((0, f"bad manifest: {why}"))
        return manifest
    if not isinstance(data, dict) or data.get(KEY) != VERSION or isinstance(data.get(KEY), bool):
        found = data.get(KEY) if isinstance(data, dict) else data
        manifest.problems.append((0, f"bad manifest: {KEY} is {found!r}; this benchledger reads version {VERSION}"))
        return manifest
    with suppress(_TooManyError):
        _Reader(text, manifest).read(data)
    if manifest.problems:
        manifest.stated, manifest.files = [], []
    return manifest


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _TwiceError(f"the key {key!r} occurs twice")
        found[key] = value
    return found


class _Reader:
    """Reads the keys in the order of the text, so that each has its place."""

    def __init__(self, text: str, manifest: Manifest) -> None:
        self._text, self._manifest = text, manifest
        self._facts = facts_of_manifests()
        self._at = 0

    def read(self, data: dict[str, Any]) -> None:
        known = [KEY, *_FACTS, *_TABLES, FILES]
        for key, value in data.items():
            offset = self._offset(key)
            if key not in known:
                self._problem(offset, f"unknown key {key!r}; known: {', '.join(known)}")
            elif key in _TABLES:
                self._table(key, value, offset)
            elif key == FILES:
                self._files(value, offset)
            elif key == KEY:
                self._keep(key, None, str(value), offset)
            else:
                self._fact(key, value, offset)
        if FILES not in data:
            self._problem(0, f"{FILES} is missing: list the run's logs, relative to the manifest's folder")

    def _table(self, table: str, data: Any, offset: int) -> None:
        if data is None:
            return
        if not isinstance(data, dict):
            self._problem(offset, f"{table} must be an object, not {data!r}")
            return
        for key, value in data.items():
            where = self._offset(key)
            if table == "case" and key == "options":
                self._options(value, where)
            elif f"{table}.{key}" in self._facts:
                self._fact(f"{table}.{key}", value, where)
            else:
                names = ", ".join(name.partition(".")[2] for name in self._facts if name.startswith(f"{table}."))
                self._problem(where, f"unknown key {key!r} in {table}; known: {names}")

    def _options(self, data: Any, offset: int) -> None:
        if not isinstance(data, dict):
            self._problem(offset, f"options must be an object, not {data!r}")
            return
        for key, value in data.items():
            where = self._offset(key)
            if f"case.options.{key}" not in self._facts:
                names = ", ".join(fact.name.removeprefix("options.") for fact in vocabulary().group("options"))
                self._problem(where, f"unknown option {key!r}; known: {names}")
            elif value is not False:
                # As everywhere, an option that is off is not stated: programs that do not know it state nothing either.
                self._fact(f"case.options.{key}", "True" if value is True else value, where)

    def _fact(self, key: str, value: Any, offset: int) -> None:
        fact = vocabulary().facts[self._facts[key]]
        if value is None:
            return
        canonical = fact.canonical(str(value)) if _has_type(fact, value) else None
        if canonical is None:
            allowed = ", ".join(fact.values) or {"time": "a time such as 2026-01-02T03:04:05"}.get(
                fact.type, f"a {fact.type}"
            )
            self._problem(offset, f"{value!r} is no value of {key}; it must be {allowed}")
        else:
            self._keep(key, fact.name, str(value), offset)

    def _files(self, value: Any, offset: int) -> None:
        if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
            self._problem(offset, f"{FILES} must be a list of names, not {value!r}")
            return
        for name in value:
            inside = normpath(name.replace("\\", "/"))
            climbs = inside in (".", "..") or inside.startswith("../") or isabs(inside)
            # A lone surrogate occurs in no file name.
            if not name or climbs or name != name.encode("utf-8", "replace").decode():
                self._problem(offset, f"file {name!r} does not lie below the manifest's folder")
        self._manifest.files = list(dict.fromkeys(value))
        self._keep(FILES, None, ", ".join(self._manifest.files), offset)

    def _keep(self, key: str, fact: str | None, value: str, offset: int) -> None:
        # A lone surrogate is valid JSON but not valid text.
        whole = value.encode("utf-8", "backslashreplace").decode()
        self._manifest.stated.append(Stated(key, fact, whole, offset))

    def _problem(self, offset: int, problem: str) -> None:
        if len(self._manifest.problems) == _MOST_PROBLEMS:
            self._manifest.problems.append((offset, "bad manifest: further mistakes are not listed"))
            raise _TooManyError
        whole = problem.encode("utf-8", "backslashreplace").decode()
        self._manifest.problems.append((offset, f"bad manifest: {whole}"))

    def _offset(self, key: str) -> int:
        found = re.compile(re.escape(json.dumps(key, ensure_ascii=False)) + r"\s*:").search(self._text, self._at)
        # A key written with escapes is not found: it gets the place behind the previous key.
        self._at = found.end() if found else self._at + 1
        return found.start() if found else self._at


def _has_type(fact: FactName, value: Any) -> bool:
    if fact.name == "signal":
        return isinstance(value, str | int) and not isinstance(value, bool)
    if fact.type in ("size", "factor"):
        return isinstance(value, int | float) and not isinstance(value, bool)
    if fact.type in ("count", "integer"):
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, str)
