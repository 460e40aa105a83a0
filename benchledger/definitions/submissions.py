"""Reads the demands of a benchmark suite on a submission: number of runs, dropped extremes, scoring rules."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from benchledger.definitions.folders import definition_files
from benchledger.definitions.rounding import ROUNDING_KEYS, Rounding, read_rounding
from benchledger.definitions.toml_file import TomlFile, read_toml
from benchledger.definitions.toml_table import Table
from benchledger.errors import DefinitionError, UsageError, suggestion

_KEYS = (
    "source", "scores", "runs", "left_out", "no_verdict", "apart", "log", "counted", "weak", "points", "power",
)  # fmt: skip
_SOURCE_KEYS = ("function", "formats")
# The evaluations that `benchledger.mlperf` has: a suite that needs another one must not be read as if it had it.
_FUNCTIONS = {"weak": "first_start_to_last_stop", "points": "one_sided_t_test", "power": "mean_power_times_run"}
_LOG = (
    "submitter", "system", "division", "availability", "benchmark", "batch_size", "start", "stop", "factor",
)  # fmt: skip
_POINTS = ("benchmark", "batch_size", "files")
_POWER = ("reading", "start", "stop", "switch", "efficiency")


@dataclass(frozen=True)
class Demand:
    """A benchmark's demand on a submission: the number of runs, and how many lowest and highest of them are dropped."""

    runs: int
    left_out: int = 1


@dataclass(frozen=True)
class LogSource:
    """Further data of a submission: the formats of its logs, and the names in them."""

    formats: tuple[str, ...]
    names: dict[str, str]


@dataclass(frozen=True)
class Suite:
    """A suite: demands by benchmark, rules of its scores, and the keys in its logs.

    `no_verdict` has the reasons why some benchmarks get no verdict. `counted` has the log keys of the samples or epochs
    up to the target, by their name in reference points; `apart` has other such keys by benchmark. `points_rounding` is
    that of these numbers, before they are compared.
    """

    name: str
    source: str
    scores: tuple[str, ...]
    demands: dict[str, Demand]
    no_verdict: dict[str, str]
    apart: dict[str, str]
    log: dict[str, str]
    counted: dict[str, str]
    points: LogSource
    points_rounding: Rounding
    power: LogSource


def load_suite(name: str | None) -> Suite:
    """Returns the suite of queries/submissions/NAME.toml (None: the only one); a user's file replaces a shipped one.

    Raises UsageError, and DefinitionError with file and line.
    """
    files = {path.stem: path for path in definition_files("queries/submissions", ".toml")}
    if not files:
        raise DefinitionError("queries/submissions:1: missing. Reinstall benchledger")
    if name is None and len(files) > 1:
        raise UsageError(f"name one suite of several: {', '.join(sorted(files))}")
    name = name or next(iter(files))
    if name not in files:
        raise UsageError(f"no suite {name!r}{suggestion(name, files)}; known: {', '.join(sorted(files))}")
    file = read_toml(files[name])
    table = Table(file, "", file.data, _KEYS)
    runs, left_out = _counts(file, "runs"), _counts(file, "left_out")
    for benchmark in left_out:
        table.known(f"left_out.{benchmark}", "benchmark", benchmark, runs)
    log = table.table("log", _LOG)
    points = table.table("points", (*_SOURCE_KEYS, *_POINTS, *ROUNDING_KEYS))
    power = table.table("power", (*_SOURCE_KEYS, *_POWER))
    for key, evaluated in {"weak": table.table("weak", ("function",)), "points": points, "power": power}.items():
        evaluated.known("function", "function", evaluated.text("function"), (_FUNCTIONS[key],))
    return Suite(
        name=name,
        source=table.text("source"),
        scores=tuple(table.strings("scores")),
        demands={benchmark: Demand(count, left_out.get(benchmark, 1)) for benchmark, count in runs.items()},
        no_verdict=table.texts("no_verdict"),
        apart=table.texts("apart"),
        log={key: log.text(key) for key in _LOG},
        counted=table.texts("counted"),
        points=_log_source(points, _POINTS),
        points_rounding=read_rounding(points),
        power=_log_source(power, _POWER),
    )


def demanded_runs() -> list[tuple[str, str, int]]:
    """Returns the least number of runs per score and benchmark; of several suites with one score, the highest."""
    demands: dict[tuple[str, str], int] = {}
    files = {path.stem: path for path in definition_files("queries/submissions", ".toml")}
    for path in files.values():
        file = read_toml(path)
        for rule in Table(file, "", file.data, _KEYS).strings("scores"):
            for benchmark, runs in _counts(file, "runs").items():
                demands[rule, benchmark] = max(runs, demands.get((rule, benchmark), 0))
    return [(*name, runs) for name, runs in sorted(demands.items())]


def _log_source(table: Table, names: Collection[str]) -> LogSource:
    return LogSource(tuple(table.strings("formats")), {name: table.text(name) for name in names})


def _counts(file: TomlFile, key: str) -> dict[str, int]:
    data = file.data.get(key, {})
    table = Table(file, key, data, data if isinstance(data, dict) else ())
    return {benchmark: table.whole_number(benchmark, least=1) for benchmark in data}
