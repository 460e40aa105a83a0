"""Reads case files (runners/cases/*.toml, one training case each) and their settings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchledger.definitions.folders import definition_files
from benchledger.definitions.toml_file import TomlFile, read_toml
from benchledger.definitions.toml_table import Table
from benchledger.definitions.vocabulary import vocabulary
from benchledger.errors import UsageError, known, suggestion, unknown_name

Value = str | int | float | bool
# A value of batch_size that asks for the largest batch size that runs (README 004).
MAX = "max"


@dataclass(frozen=True)
class Setting:
    """One setting. `launched`: it configures the launch and is not passed to the runner as an option."""

    name: str
    type: type
    fact: str | None = None
    launched: bool = False


_ALL = (
    Setting("model", str, "model"),
    Setting("task", str, "task"),
    Setting("precision", str, "precision"),
    Setting("batch_size", int, "batch_size_per_gpu"),
    Setting("max_iterations", int),
    Setting("phase", int),
    Setting("seq_len", int, "seq_len"),
    Setting("masked", int),
    Setting("gradient_accumulation", int, "gradient_accumulation"),
    Setting("optimizer", str, "options.optimizer"),
    Setting("learning_rate", float),
    Setting("dropout", float),
    Setting("head", str, "options.head"),
    Setting("data_workers", int),
    Setting("device", str),
    Setting("seed", int),
    Setting("compile", bool, "options.compile"),
    Setting("cuda_graph", bool, "options.cuda_graphs"),
    Setting("fused_optimizer", bool, "options.fused_optimizer"),
    Setting("fused_kernels", bool, "options.fused_kernels"),
    Setting("half_weights", bool, "options.half_weights"),
    Setting("log_interval", int),
    Setting("evaluate", bool),
    Setting("init_checkpoint", str),
    Setting("start_iteration", int),
    Setting("stop_iteration", int),
    Setting("omp_threads", int, launched=True),
    Setting("gpus", int, "gpus", launched=True),
    Setting("nodes", int, "nodes", launched=True),
)
SETTINGS = {setting.name: setting for setting in _ALL}
# Names of READMEs 000 and 002.
ALIASES = {"fp_item": "precision", "max_iter": "max_iterations", "bs_item": "batch_size"}
PRECISIONS = ("fp32", "tf32", "fp16", "bf16", "fp8")
# Zero is allowed for these, and means none.
_MAY_BE_ZERO = {"data_workers", "seed", "start_iteration"}
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


def find_setting(name: str) -> Setting:
    wanted = ALIASES.get(name, name).replace("-", "_")
    if wanted not in SETTINGS:
        raise UsageError(f"no setting {name!r}{suggestion(wanted, SETTINGS)}; known: {known(SETTINGS, wanted)}")
    return SETTINGS[wanted]


def problem_of(setting: Setting, value: object) -> str | None:
    if setting.name == "batch_size" and value == MAX:
        return None
    allowed = int | float if setting.type is float else setting.type
    # To Python, true is a number.
    if not isinstance(value, allowed) or isinstance(value, bool) != (setting.type is bool):
        kind = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}[setting.type]
        return f"{setting.name} must be {kind}, not {value!r}"
    least = 0 if setting.name in _MAY_BE_ZERO else 1
    if setting.type is int and isinstance(value, int) and value < least:
        return f"{setting.name} must be at least {least}, not {value}"
    if setting.name == "precision" and value not in PRECISIONS:
        return f"precision must be one of {', '.join(PRECISIONS)}, not {value!r}"
    return None


def read_value(setting: Setting, text: str) -> Value:
    value: Value = text
    words = {"true": True, "yes": True, "false": False, "no": False}
    try:
        if setting.type is bool:
            value = words.get(text.lower(), text)
        elif setting.type in (int, float) and text != MAX:
            value = setting.type(text)
    except ValueError:
        value = text
    if problem := problem_of(setting, value):
        raise UsageError(problem)
    return value


def read_sweep(text: str) -> tuple[str, tuple[Value, ...]]:
    """Returns the name and values of one --sweep such as `batch_size=32,48,max`."""
    name, assigned, values = text.partition("=")
    if not assigned or not values:
        raise UsageError(f"--sweep is NAME=VALUE,VALUE,..., such as batch_size=32,48,max, not {text!r}")
    setting = find_setting(name.strip())
    return setting.name, tuple(dict.fromkeys(read_value(setting, value.strip()) for value in values.split(",")))


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
        raise unknown_name("case", name, cases, "bench run --list")
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
