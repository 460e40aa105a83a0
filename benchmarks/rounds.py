"""One round measures everything once, so that a slow minute of the machine hits all parts alike."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.limit import insert, search_seconds, start_seconds
from benchmarks.measure import run

STARTS = 5  # of each program per round: a start is short and its spread is large


@dataclass(frozen=True)
class Measurement:
    """Seconds of one ingest and of the parts of its limit, over one set of files."""

    ingest: float
    rg: float | None
    grep: float | None
    insert: float
    start: float
    tree_mib: float | None
    largest_mib: float
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


def bench() -> list[str | Path]:
    """The installed command that stands beside this Python."""
    command = Path(sys.executable).with_name("bench")
    if not command.is_file():
        sys.exit(f"{command}: no such command. Cure: pip install -e . into the environment of {sys.executable}")
    return [command]


def measure_ingest(folder: Path, scratch: Path, anchors: list[str], jobs: int) -> Measurement:
    """Ingests a folder into a fresh database, then measures the limit on the same files and the same rows."""
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    database = scratch / "bench.duckdb"
    environment = {"BENCH_DB": str(database), "BENCH_DEFINITIONS": ""}
    ingested = run([*bench(), "ingest", folder, "--jobs", str(jobs)], environment, memory=True)
    inserted = insert(database, scratch / "insert.duckdb")
    measurement = Measurement(
        ingest=ingested.seconds,
        rg=search_seconds("rg", anchors, folder),
        grep=search_seconds("grep", anchors, folder),
        insert=inserted.seconds,
        start=start_seconds(),
        tree_mib=ingested.tree_mib,
        largest_mib=ingested.largest_mib,
        rows=inserted.rows,
        logs=inserted.logs,
        records=inserted.records,
    )
    shutil.rmtree(scratch)
    return measurement


def measure_starts() -> Starts:
    """The medians of a few starts, taken in turn."""
    pairs = [(run([sys.executable, "-c", "pass"]), run([*bench(), "--help"])) for _ in range(STARTS)]
    return Starts(median(python.seconds for python, _ in pairs), median(shown.seconds for _, shown in pairs))


def middle(rounds: list[Measurement]) -> Measurement:
    """The median of every column over the rounds; the parts of a row may come from different rounds."""
    return Measurement(
        ingest=median(each.ingest for each in rounds),
        rg=_median([each.rg for each in rounds]),
        grep=_median([each.grep for each in rounds]),
        insert=median(each.insert for each in rounds),
        start=median(each.start for each in rounds),
        tree_mib=_median([each.tree_mib for each in rounds]),
        largest_mib=median(each.largest_mib for each in rounds),
        rows=rounds[-1].rows,
        logs=rounds[-1].logs,
        records=rounds[-1].records,
    )


def _median(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return median(known) if known else None
