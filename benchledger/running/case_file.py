"""Reads cases from runners/cases/*.toml: one training case per file, with all its settings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchledger.definitions.folders import definition_files
from benchledger.definitions.toml_file import TomlFile, read_toml
from benchledger.definitions.toml_table import Table
from benchledger.definitions.vocabulary import vocabulary
from benchledger.errors import UsageError, known, suggestion
from benchledger.running.settings import SETTINGS, Value, problem_of

FOLDER = "runners/cases"
KINDS = ("performance", "convergence")
_KEYS = (
    "about",
    "kind",
    "suffix",
    "program",
    "framework",
    "implementation",
    "environment",
    "one_process",
    "data",
    "settings",
    "point",
)
_OTHERS_KEYS = ("arguments", "when")
# Without these a run has no name (README 002).
_NEEDED = ("model", "task", "precision", "batch_size")


@dataclass(frozen=True)
class Case:
    """One case file. `points` are the settings of its runs without --sweep.

    `suffix` ends the names of its runs; it is needed if another case has the same model, batch size and precision.
    `program` is below runners/, or in a checkout that an environment variable names: $MEGATRON/pretrain_gpt.py. `data`
    is a folder below that of the training data, with {settings} in it. `arguments` and `when` are for programs of
    others: a template of their arguments, and further arguments for a setting's value, "precision.fp16". `one_process`:
    the program itself uses all GPUs of a machine and needs no launcher.
    """

    name: str
    about: str
    kind: str
    suffix: str | None
    program: str
    framework: str
    implementation: str
    environment: str
    one_process: bool
    data: str | None
    settings: dict[str, Value]
    points: tuple[dict[str, Value], ...]
    arguments: tuple[str, ...]
    when: dict[str, tuple[str, ...]]
    folder: Path


def load_cases() -> dict[str, Case]:
    """Returns every case by its name, the stem of its file; a user's own case replaces a shipped one.

    Raises DefinitionError with file and line.
    """
    return {path.stem: read_case(path) for path in definition_files(FOLDER, ".toml")}


def find_case(name: str) -> Case:
    cases = load_cases()
    if name not in cases:
        raise UsageError(f"no case {name!r}{suggestion(name, cases)}; known: {known(cases, name, 'bench run --list')}")
    return cases[name]


def read_case(path: Path) -> Case:
    """Returns the case in one file. Raises DefinitionError with file and line."""
    file = read_toml(path)
    top = Table(file, "", file.data, (*_KEYS, *_OTHERS_KEYS))
    settings = _settings(file, "settings", top.any_values("settings"))
    points = tuple(
        _settings(file, f"point.{index}", table.data) for index, table in enumerate(top.tables("point", SETTINGS))
    )
    for name in _NEEDED:
        if not all(name in {**settings, **point} for point in points or ({},)):
            top.fail("settings", f"{name} is missing: state it in [settings], or in every [[point]]")
    return Case(
        name=path.stem,
        about=top.text("about"),
        kind=top.choice("kind", KINDS, default=KINDS[0]),
        suffix=top.text_or_none("suffix") or ("convergence" if top.data.get("kind") == "convergence" else None),
        program=top.text("program"),
        framework=top.choice("framework", vocabulary().facts["framework"].values),
        implementation=top.text_or_none("implementation") or "benchledger",
        environment=top.text_or_none("environment") or top.text("framework"),
        one_process=top.flag("one_process"),
        data=top.text_or_none("data"),
        settings=settings,
        points=points or ({},),
        arguments=tuple(top.strings("arguments")),
        when=_when(file, top),
        folder=path.parent.parent,
    )


def _settings(file: TomlFile, place: str, values: dict[str, Value]) -> dict[str, Value]:
    file.refuse_unknown(place, values, set(SETTINGS))
    for name, value in values.items():
        if problem := problem_of(SETTINGS[name], value):
            file.fail(f"{place}.{name}", problem)
    return dict(values)


def _when(file: TomlFile, top: Table) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for setting, values in top.any_values("when").items():
        file.refuse_unknown("when", {setting: values}, set(SETTINGS))
        if not isinstance(values, dict):
            file.fail(f"when.{setting}", 'when is a table of values, such as [when.precision] fp16 = ["--fp16"]')
        for value, words in values.items():
            if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
                file.fail(f"when.{setting}.{value}", f"{value} is a list of arguments, not {words!r}")
            found[f"{setting}.{value}"] = tuple(words)
    return found
