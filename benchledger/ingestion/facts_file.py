"""facts.toml: facts that no log states, declared for the logs of its folder and below."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any

from benchledger.archives.disk_file import open_file
from benchledger.archives.member import CHAIN
from benchledger.definitions.toml_file import TomlFile, parse_toml, read_toml
from benchledger.definitions.vocabulary import FactName, vocabulary
from benchledger.errors import DefinitionError
from benchledger.ingestion.discover import FACTS_FILE, FoundFile, folder_of, is_below

# No facts.toml is longer.
MOST_BYTES = 1024 * 1024
_BODY = {"campaign", "note", "case", "environment", "options", "run", "correct"}


@dataclass(frozen=True)
class DeclaredFact:
    """One statement of a facts.toml: `source` is "facts.toml", or "correct" where it beats the log."""

    name: str
    value: str
    logged: str
    source: str
    place: str


@dataclass(frozen=True)
class Declared:
    """The facts of a log in all facts.toml files above it; the nearest file counts."""

    campaign: str | None
    facts: tuple[DeclaredFact, ...]


_NOTHING = Declared(None, ())


@dataclass(frozen=True)
class _Body:
    match: str | None
    place: str
    campaign: str | None
    facts: tuple[DeclaredFact, ...]


class FactsFiles:
    """Reads each facts.toml once; `problems` holds, by real path, what is wrong with those that cannot be used.

    `on_disk`: whether to look for them on this disk. Those of `files` that lie elsewhere are read at once.
    """

    def __init__(self, files: Iterable[FoundFile] = (), *, on_disk: bool = True) -> None:
        self._on_disk = on_disk
        self._bodies: dict[str, tuple[_Body, ...]] = {}
        self._above: dict[str, tuple[str, ...]] = {}
        self._fitting: set[tuple[str, str]] = set()
        self.problems: dict[str, str] = {}
        for file in files:
            if file.open is not None:
                self.read(file)

    def provide(self, place: str, text: bytes) -> None:
        """Takes a facts.toml that lies in an archive; `place` leads through it."""
        folder = os.path.dirname(place)
        self._bodies[folder] = ()
        self._above.clear()
        try:
            self._bodies[folder] = _read(parse_toml(Path(place), text))
        except DefinitionError as error:
            self.problems[place] = str(error).replace(f"{place}:", f"{FACTS_FILE}:")

    def add(self, file: FoundFile, text: bytes) -> FoundFile:
        """Takes a facts.toml, and returns its file with what is wrong with it."""
        self.provide(file.place, text)
        return replace(file, problem=self.problems.get(file.place))

    def read(self, file: FoundFile) -> FoundFile:
        try:
            with (file.open or partial(open_file, file.place))() as opened:
                text = opened.read(MOST_BYTES + 1)
        except OSError as error:
            self.problems[file.place] = f"cannot be read: {error.strerror or error}"
        else:
            if len(text) <= MOST_BYTES:
                return self.add(file, text)
            self.problems[file.place] = f"longer than {MOST_BYTES:,} bytes: no facts.toml is"
        self._bodies[os.path.dirname(file.place)] = ()
        return replace(file, problem=self.problems[file.place])

    def declared(self, place: str) -> Declared:
        """What is declared for the file at a real path."""
        declaring = self._declaring(folder_of(place))
        if not declaring:
            return _NOTHING
        campaign: str | None = None
        facts: dict[tuple[str, bool], DeclaredFact] = {}
        for folder in declaring:
            below = _paths_below(os.path.relpath(place, folder).replace(os.sep, "/"))
            bodies = [body for body in self.bodies(folder) if body.match is None or _matches(body.match, below)]
            self._fitting.update((folder, body.place) for body in bodies)
            # Within one file, a fact for some logs beats a fact for all.
            for body in reversed(bodies):
                campaign = campaign or body.campaign
                for fact in body.facts:
                    facts.setdefault((fact.name, fact.source == "correct"), fact)
        return Declared(campaign, tuple(facts.values()))

    def is_refused(self, place: str) -> bool:
        """Whether a facts.toml above the file at a real path cannot be used: its earlier facts stay."""
        folder = folder_of(place)
        self._declaring(folder)
        return any(is_below(folder, os.path.dirname(problem)) for problem in self.problems)

    def unfitting(self, folder: str) -> list[str]:
        """Each match of one folder's facts.toml that fitted no file so far, after its line."""
        return [
            f"{body.place.removeprefix(f'{FACTS_FILE}:')}: match {body.match!r} fits none of the logs below it"
            for body in self.bodies(folder)
            if body.match is not None and (folder, body.place) not in self._fitting
        ]

    def _declaring(self, folder: str) -> tuple[str, ...]:
        # The folders above that have a facts.toml: most have none, and many files share a folder. Standard input has
        # no folder. Without recursion: a member of an archive can be thousands of folders deep.
        unknown: list[str] = []
        while folder and folder not in self._above:
            unknown.append(folder)
            above = os.path.dirname(folder)
            folder = above if above != folder else ""
        declaring = self._above[folder] if folder else ()
        for below in reversed(unknown):
            declaring = self._above[below] = (below, *declaring) if self.bodies(below) else declaring
        return declaring

    def bodies(self, folder: str) -> tuple[_Body, ...]:
        """The content of one folder's facts.toml; empty where there is none."""
        if folder not in self._bodies:
            path = os.path.join(folder, FACTS_FILE)
            self._bodies[folder] = ()
            if self._on_disk and os.path.isabs(folder) and os.path.isfile(path):
                try:
                    self._bodies[folder] = _read(read_toml(Path(path), MOST_BYTES))
                except DefinitionError as error:
                    self.problems[path] = str(error).replace(f"{path}:", f"{FACTS_FILE}:")
        return self._bodies[folder]


def _paths_below(below: str) -> list[str]:
    """The paths of a file that a pattern may mean: of an archive's member also those within it, as if it were unpacked.

    `2021/all.zip!/a/run.log` is `a/run.log` and `2021/a/run.log` too, and `run.log` by its name alone.
    """
    archive, *within = below.split(CHAIN)
    folder = archive.rpartition("/")[0]
    inside = [CHAIN.join(within[depth:]) for depth in range(len(within))]
    in_folder = [f"{folder}/{path}" for path in inside] if folder else []
    return [below, *inside, *in_folder, below.rpartition("/")[2]]


def _matches(pattern: str, paths: list[str]) -> bool:
    return any(fnmatchcase(path, pattern) for path in paths)


def _read(file: TomlFile) -> tuple[_Body, ...]:
    _refuse_unknown(file, "", file.data, _BODY | {"for"})
    bodies = [_body(file, "", file.data, None)]
    for index, table in enumerate(file.data.get("for", [])):
        place = f"for.{index}"
        _refuse_unknown(file, place, table, _BODY | {"match"})
        match = table.get("match")
        if not isinstance(match, str) or not match:
            file.fail(place, 'match must be a pattern of file names, for example "*gpu32*"')
        if len(table) == 1:
            file.fail(place, "says nothing of the files that match: write [for.environment], [for.case], ... below it; "
                             "[environment] without for. holds for all files")  # fmt: skip
        bodies.append(_body(file, place, table, match))
    return tuple(bodies)


def _refuse_unknown(file: TomlFile, place: str, table: dict[str, Any], keys: set[str]) -> None:
    # A fact outside of its table is a common mistake.
    for name in table:
        if name not in keys and (cure := _cure(place, name, "", _stated_here())):
            file.fail(
                f"{place}.{name}".lstrip("."), f"unknown key {name!r}; {cure}known here: {', '.join(sorted(keys))}"
            )
    file.refuse_unknown(place, table, keys)


def _body(file: TomlFile, place: str, table: dict[str, Any], match: str | None) -> _Body:
    campaign = table.get("campaign")
    if campaign is not None and (not isinstance(campaign, str) or not campaign):
        file.fail(f"{place}.campaign".lstrip("."), "campaign must be a text that is not empty")
    facts: list[DeclaredFact] = []
    if "note" in table:
        where = f"{place}.note".lstrip(".")
        facts.append(DeclaredFact("note", str(table["note"]), str(table["note"]), "facts.toml", _where(file, where)))
    for group in ("case", "environment", "options", "run"):
        where = f"{place}.{group}".lstrip(".")
        for name, value in _table(file, where, table.get(group, {})).items():
            full = f"options.{name}" if group == "options" else name
            # As in a manifest, an option that is off is none.
            if group == "options" and isinstance(value, bool) and _is_text(full):
                if not value:
                    continue
                value = str(value)
            facts.append(_fact(file, f"{where}.{name}", full, value, group))
    if "correct" in table:
        where = f"{place}.correct".lstrip(".")
        correct = _table(file, where, table["correct"])
        if not isinstance(correct.get("reason"), str) or not correct["reason"]:
            file.fail(where, "reason is missing: say why these facts beat the log")
        for name, value in correct.items():
            if name != "reason":
                facts.append(_fact(file, f"{where}.{name}", name, value, None, correct["reason"]))
    return _Body(match, _where(file, f"{place}.match" if match else ""), campaign, tuple(facts))


def _fact(file: TomlFile, where: str, name: str, value: Any, group: str | None, reason: str = "") -> DeclaredFact:
    """`group` is the table of the fact, None for [correct]."""
    known = _stated_here()
    if name not in known or (group is not None and known[name].group != group):
        names = [fact.name for fact in known.values() if group is None or fact.group == group]
        file.fail(where, f"no fact {name!r} here; {_cure(where, name, group, known)}known: {', '.join(names)}")
    if isinstance(value, bool):
        file.fail(
            where, f"{str(value).lower()} is no value of {name}: only options are true or false; write it in quotes"
        )
    if known[name].type == "text" and not isinstance(value, str):
        file.fail(where, f"{name} is a text: put it in quotes, or digits of it are lost (12.10 would be 12.1)")
    canonical = known[name].canonical(str(value)) if isinstance(value, str | int | float) else None
    if canonical is None:
        file.fail(where, f"{value!r} is no value of {name}; it must be {known[name].wanted}")
    place = _where(file, where) + (f" ({reason})" if reason else "")
    return DeclaredFact(name, canonical, str(value), "facts.toml" if group else "correct", place)


def _stated_here() -> dict[str, FactName]:
    # Facts of manifests cannot be declared here: campaign has a key of its own.
    return {fact.name: fact for fact in vocabulary().facts.values() if fact.group != "manifest"}


def _cure(where: str, name: str, group: str | None, known: dict[str, FactName]) -> str:
    """Where a fact of that name belongs, if there is one."""
    bare = name.removeprefix("options.")
    other = known.get(bare) or known.get(f"options.{bare}")
    if other is None:
        return ""
    if group is None:
        return f'write "{other.name}" in quotes; '
    return f"write it under [{'for.' * where.startswith('for.')}{other.group}]; "


def _is_text(name: str) -> bool:
    fact = vocabulary().facts.get(name)
    return fact is not None and fact.type == "text" and not fact.values


def _table(file: TomlFile, where: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        file.fail(where, "must be a table")
    return value


def _where(file: TomlFile, where: str) -> str:
    return f"{FACTS_FILE}:{file.line_of(where)}"
