"""What an ingest costs when the ledger is there: nothing has changed, ten files are new, the ledger is large."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from benchmarks.ingests import fresh, ingest
from benchmarks.inputs import write_small
from benchmarks.measure import run

NEW_FILES = 10
# The seeds of new files lie above those of all inputs.
FIRST_NEW = 10_000_000


@dataclass(frozen=True)
class Again:
    """Seconds to see that a tree is unchanged, to list it by `find`, and to read new files into two ledgers."""

    unchanged: float
    find: float
    into_large: float
    into_empty: float
    records: int
    database: int


def measure_again(folder: Path, large: Path, scratch: Path, jobs: int, number: int) -> Again:
    """`large` is a ledger that holds `folder`; it grows by the new files of this round."""
    unchanged = ingest([folder], large, jobs)
    if unchanged.files.keys() != {"unchanged"}:
        sys.exit(f"{folder}: {unchanged.files} instead of unchanged files: no time can be stated")
    listed = run(["find", folder, "-printf", "%s %T@ %p\n"])
    new = scratch / "new" / str(number)
    for seed in range(NEW_FILES):
        write_small(new, 16_000, FIRST_NEW + number * NEW_FILES + seed)
    into_large = ingest([new], large, jobs)
    into_empty = ingest([new], fresh(scratch / "empty"), jobs)
    if into_large.files != into_empty.files:
        sys.exit(f"{new}: {into_large.files} into the large ledger, {into_empty.files} into the empty one")
    shutil.rmtree(scratch / "empty")
    records, size = records_in(large), into_large.database
    return Again(unchanged.seconds, listed.seconds, into_large.seconds, into_empty.seconds, records, size)


def records_in(database: Path) -> int:
    """How many records a ledger holds."""
    # In a process of its own, which leaves nothing in the memory of this one.
    count = "duckdb.connect(sys.argv[1], read_only=True).sql('from kept.record').count('*').fetchone()[0]"
    return int(run([sys.executable, "-c", f"import duckdb, sys; print({count})", database]).stdout)
