"""How time, memory and the database grow with the logs: they should grow as these do, and memory not at all."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from benchmarks.ingests import fresh, ingest

PARTS = (1, 2, 4, 8)


@dataclass(frozen=True)
class Grown:
    """One ingest of a part of the small files into a fresh ledger: so many times the smallest part."""

    times: int
    files: int
    bytes: int
    seconds: float
    cpu: float
    database: int


@dataclass(frozen=True)
class Peak:
    """The peak memory of one file's ingest, all processes and the largest one."""

    kind: str
    bytes: int
    seconds: float
    tree_mib: float | None
    largest_mib: float


@dataclass(frozen=True)
class Packed:
    """The same logs plain and out of archives: seconds and bytes by name."""

    plain: float
    plain_bytes: int
    seconds: dict[str, float]
    bytes: dict[str, int]
    tree_mib: dict[str, float | None]


def measure_growth(folder: Path, scratch: Path, jobs: int) -> list[Grown]:
    """Ingests 1, 2, 4 and 8 eighths of the campaigns of a folder, each into a fresh ledger."""
    campaigns = sorted(path for path in folder.iterdir() if path.is_dir())
    found = []
    for times in PARTS:
        part = campaigns[: max(times, len(campaigns) * times // PARTS[-1])]
        files = [path for campaign in part for path in campaign.rglob("*.log")]
        done = ingest(part, fresh(scratch), jobs)
        size = sum(path.stat().st_size for path in files)
        found.append(Grown(times, len(files), size, done.seconds, done.cpu, done.database))
    shutil.rmtree(scratch)
    return found


def measure_peaks(files: dict[str, list[Path]], scratch: Path, jobs: int) -> list[Peak]:
    """Ingests each file alone; of every kind the smallest file first."""
    found = []
    for kind, paths in files.items():
        for path in sorted(paths, key=lambda path: path.stat().st_size):
            done = ingest([path], fresh(scratch), jobs)
            found.append(Peak(kind, path.stat().st_size, done.seconds, done.tree_mib, done.largest_mib))
    shutil.rmtree(scratch, ignore_errors=True)
    return found


def measure_packed(folders: list[Path], archives: list[Path], scratch: Path, jobs: int) -> Packed:
    """Ingests the plain logs, then each archive of them, into fresh ledgers."""
    plain = ingest(folders, fresh(scratch), jobs)
    size = sum(path.stat().st_size for folder in folders for path in folder.rglob("*.log"))
    found = {path.name: ingest([path], fresh(scratch), jobs) for path in archives}
    shutil.rmtree(scratch)
    return Packed(
        plain.seconds,
        size,
        {name: done.seconds for name, done in found.items()},
        {path.name: path.stat().st_size for path in archives},
        {name: done.tree_mib for name, done in found.items()},
    )
