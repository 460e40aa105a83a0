"""Runs `bench ingest` as a user does, and says what it took."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measure import run


@dataclass(frozen=True)
class Ingested:
    """Seconds on the clock and of all processors, peak memory in MiB (as in measure.py), and bytes of the database."""

    seconds: float
    cpu: float
    tree_mib: float | None
    largest_mib: float
    database: int
    files: dict[str, int]


def bench() -> list[str | Path]:
    """The installed command that stands beside this Python."""
    command = Path(sys.executable).with_name("bench")
    if not command.is_file():
        sys.exit(f"{command}: no such command. Cure: pip install -e . into the environment of {sys.executable}")
    return [command]


def ingest(paths: Sequence[Path], database: Path, jobs: int, scanner: str = "native") -> Ingested:
    """Ingests paths into a database, which need not be there."""
    environment = {"BENCH_DB": str(database), "BENCH_DEFINITIONS": "", "BENCH_SCANNER": scanner}
    words = [*bench(), "ingest", *paths, "--jobs", str(jobs)]
    done = run(words, environment, memory=True)
    return Ingested(
        done.seconds, done.cpu, done.tree_mib, done.largest_mib, database.stat().st_size, _files(done.stdout)
    )  # fmt: skip


def _files(summary: str) -> dict[str, int]:
    # "files: 12 = 10 loaded + 2 duplicate"
    told = re.search(r"files: [\d,]+ = (.*)", summary)
    counts = re.findall(r"([\d,]+) ([a-z]+)", told[1]) if told else []
    return {status: int(count.replace(",", "")) for count, status in counts}


def fresh(folder: Path) -> Path:
    """The place of a database that is not there, in a folder that is emptied for it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder / "bench.duckdb"
