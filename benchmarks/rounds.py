"""One round measures everything once, so that a slow minute of the machine hits all parts alike."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from statistics import median

from benchmarks.ingests import bench, fresh, ingest
from benchmarks.limit import TOP, insert, search_seconds, start_seconds
from benchmarks.measure import run

STARTS = 5  # of each program per round: a start is short and its spread is large


@dataclass(frozen=True)
class Measurement:
    """Seconds of one ingest, of the parts of its limit and of the script for one framework, over one set of files.

    `by_python`: the same ingest without the native scanner, where it was asked for.
    """

    ingest: float
    cpu: float
    rg: float | None
    grep: float | None
    insert: float
    start: float
    script: float
    by_python: float | None
    tree_mib: float | None
    largest_mib: float
    database: int
    rows: int
    logs: int
    records: int

    @property
    def limit(self) -> float:
        """The search (by grep only where rg is absent), the insert and the start."""
        search = self.rg if self.rg is not None else self.grep
        return (search or 0.0) + self.insert + self.start

    @property
    def multiple(self) -> float:
        return self.ingest / self.limit


@dataclass(frozen=True)
class Starts:
    """Seconds to start bare Python, and to print the help."""

    python: float
    bench_help: float


def measure_set(folder: Path, scratch: Path, anchors: list[str], jobs: int, *, by_python: bool) -> Measurement:
    """Ingests a folder into a fresh database, then measures the limit on the same files and the same rows."""
    other = ingest([folder], fresh(scratch), jobs, "python").seconds if by_python else None
    database = fresh(scratch)
    ingested = ingest([folder], database, jobs)
    inserted = insert(database, scratch / "insert.duckdb")
    measurement = Measurement(
        ingest=ingested.seconds,
        cpu=ingested.cpu,
        rg=search_seconds("rg", anchors, folder),
        grep=search_seconds("grep", anchors, folder),
        insert=inserted.seconds,
        start=start_seconds(),
        script=script_seconds(folder),
        by_python=other,
        tree_mib=ingested.tree_mib,
        largest_mib=ingested.largest_mib,
        database=ingested.database,
        rows=inserted.rows,
        logs=inserted.logs,
        records=inserted.records,
    )
    shutil.rmtree(scratch)
    return measurement


def script_seconds(folder: Path) -> float:
    """How long the script for one framework takes, which reads every line as it comes."""
    words: list[str | Path] = [sys.executable, "-m", "benchmarks.one_framework", folder]
    return run(words, {"PYTHONPATH": str(TOP)}).seconds


def measure_starts() -> Starts:
    """The medians of a few starts, taken in turn."""
    pairs = [(run([sys.executable, "-c", "pass"]), run([*bench(), "--help"])) for _ in range(STARTS)]
    return Starts(median(python.seconds for python, _ in pairs), median(shown.seconds for _, shown in pairs))


def middle(rounds: list[Measurement]) -> Measurement:
    """The median of every column over the rounds; the parts of a row may come from different rounds."""
    columns = {field.name: [getattr(each, field.name) for each in rounds] for field in fields(Measurement)}
    last = {name: getattr(rounds[-1], name) for name in ("database", "rows", "logs", "records")}
    return Measurement(**{**{name: known_median(values) for name, values in columns.items()}, **last})


def known_median(values: Iterable[float | None]) -> float | None:
    """The median of those that were measured; None if none was."""
    known = [value for value in values if value is not None]
    return median(known) if known else None
