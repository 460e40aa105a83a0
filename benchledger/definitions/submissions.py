"""What a benchmark suite asks of a submission: how many runs, how many of them do not count, which rules score it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from benchledger.definitions.folders import definition_files
from benchledger.definitions.toml_file import TomlFile, read_toml
from benchledger.definitions.toml_table import Table
from benchledger.errors import DefinitionError, UsageError

_KEYS = (
    "source", "scores", "runs", "left_out", "untold", "apart", "log", "counted", "weak", "points", "power",
)  # fmt: skip
_SOURCE_KEYS = ("function", "formats")
_LOG = (
    "submitter", "system", "division", "availability", "benchmark", "batch_size", "start", "stop", "factor",
)  # fmt: skip
_POINTS = ("benchmark", "batch_size", "files")
_POWER = ("reading", "start", "stop", "switch", "efficiency")


@dataclass(frozen=True)
class Demand:
    """What a benchmark asks of a submission: how many runs, and how many lowest and highest of them do not count."""

    runs: int
    left_out: int = 1


@dataclass(frozen=True)
class Beside:
    """What lies beside the runs: in logs of which formats, under which names, and the function that weighs it."""

    function: str
    formats: tuple[str, ...]
    names: dict[str, str]


@dataclass(frozen=True)
class Suite:
    """A suite's demands by benchmark, the rules of its scores, why some get no verdict, and what its logs call things.

    `counted` are what runs took, by the name that reference points have for it; `apart` such names by benchmark.
    """

    name: str
    source: str
    scores: tuple[str, ...]
    demands: dict[str, Demand]
    untold: dict[str, str]
    apart: dict[str, str]
    log: dict[str, str]
    counted: dict[str, str]
    weak: str
    points: Beside
    power: Beside


def load_suite(name: str | None, functions: Mapping[str, Collection[str]]) -> Suite:
    """The suite of queries/submissions/NAME.toml (None: the only one); the last of that name, so one of the user's own.

    `functions` are the known ones by what they do. Raises UsageError, and DefinitionError with file and line.
    """
    files = {path.stem: path for path in definition_files("queries/submissions", ".toml")}
    if not files:
        raise DefinitionError("queries/submissions:1: missing. Reinstall benchledger")
    if name is None and len(files) > 1:
        raise UsageError(f"name one suite of several: {', '.join(sorted(files))}")
    name = name or next(iter(files))
    if name not in files:
        raise UsageError(f"no suite {name!r}; known: {', '.join(sorted(files))}")
    file = read_toml(files[name])
    table = Table(file, "", file.data, _KEYS)
    runs, left_out = _counts(file, "runs"), _counts(file, "left_out")
    for benchmark in left_out:
        table.known(f"left_out.{benchmark}", "benchmark", benchmark, runs)
    log, weak = table.table("log", _LOG), table.table("weak", ("function",))
    return Suite(
        name=name,
        source=table.text("source"),
        scores=tuple(table.strings("scores")),
        demands={benchmark: Demand(count, left_out.get(benchmark, 1)) for benchmark, count in runs.items()},
        untold=table.texts("untold"),
        apart=table.texts("apart"),
        log={key: log.text(key) for key in _LOG},
        counted=table.texts("counted"),
        weak=_function(weak, functions["weak"]),
        points=_beside(table.table("points", (*_SOURCE_KEYS, *_POINTS)), _POINTS, functions["points"]),
        power=_beside(table.table("power", (*_SOURCE_KEYS, *_POWER)), _POWER, functions["power"]),
    )


def _beside(table: Table, names: Collection[str], functions: Collection[str]) -> Beside:
    return Beside(
        _function(table, functions), tuple(table.strings("formats")), {name: table.text(name) for name in names}
    )


def _function(table: Table, functions: Collection[str]) -> str:
    return table.known("function", "function", table.text("function"), functions)


def _counts(file: TomlFile, key: str) -> dict[str, int]:
    data = file.data.get(key, {})
    table = Table(file, key, data, data if isinstance(data, dict) else ())
    counts = {benchmark: table.whole_number(benchmark) for benchmark in data}
    for benchmark, count in counts.items():
        if count < 1:
            table.fail(benchmark, f"{benchmark} must be a whole number of at least 1, not {count}")
    return counts
