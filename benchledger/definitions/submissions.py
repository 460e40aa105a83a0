"""What a benchmark suite asks of a submission: how many runs, how many of them do not count, which rules score it."""

from __future__ import annotations

from dataclasses import dataclass

from benchledger.definitions.folders import definition_files
from benchledger.definitions.toml_file import TomlFile, read_toml
from benchledger.definitions.toml_table import Table
from benchledger.errors import DefinitionError

_KEYS = ("source", "scores", "runs", "left_out", "untold", "train_samples")


@dataclass(frozen=True)
class Demand:
    """What a benchmark asks of a submission: how many runs, and how many lowest and highest of them do not count."""

    runs: int
    left_out: int = 1


@dataclass(frozen=True)
class Suite:
    """A suite's demands by benchmark, the rules of its scores, why some get no verdict, and keys of samples apart."""

    source: str
    scores: tuple[str, ...]
    demands: dict[str, Demand]
    untold: dict[str, str]
    train_samples: dict[str, str]


def load_suite(name: str) -> Suite:
    """The suite of queries/submissions/NAME.toml; the last of that name, so one of the user's own, counts.

    Raises DefinitionError with file and line.
    """
    files = [path for path in definition_files("queries/submissions", ".toml") if path.stem == name]
    if not files:
        raise DefinitionError(f"queries/submissions/{name}.toml:1: missing. Reinstall benchledger")
    file = read_toml(files[-1])
    table = Table(file, "", file.data, _KEYS)
    runs, left_out = _counts(file, "runs"), _counts(file, "left_out")
    for benchmark in left_out:
        table.known(f"left_out.{benchmark}", "benchmark", benchmark, runs)
    return Suite(
        source=table.text("source"),
        scores=tuple(table.strings("scores")),
        demands={benchmark: Demand(count, left_out.get(benchmark, 1)) for benchmark, count in runs.items()},
        untold=table.texts("untold"),
        train_samples=table.texts("train_samples"),
    )


def _counts(file: TomlFile, key: str) -> dict[str, int]:
    data = file.data.get(key, {})
    table = Table(file, key, data, data if isinstance(data, dict) else ())
    counts = {benchmark: table.whole_number(benchmark) for benchmark in data}
    for benchmark, count in counts.items():
        if count < 1:
            table.fail(benchmark, f"{benchmark} must be a whole number of at least 1, not {count}")
    return counts
