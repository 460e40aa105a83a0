"""Measures what many formats cost: the logs of each format, read with all formats loaded and with their own only.

    python -m benchmarks.formats [--mb 2000] [--rounds 3] [--keep]

Makes its inputs under .bench/ (git-ignored), prints the table, writes it into docs/performance.md, and keeps every
round in benchmarks/results/. Reading is timed, from the files to Arrow tables, as one process of an ingest does it, in
processor time, which other work on the machine changes little. Writing the ledger costs the same with either.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from statistics import median
from time import process_time

from benchledger.definitions import folders
from benchledger.ingestion.read import process_reader
from benchledger.ingestion.units import UNIT_BYTES, UNIT_FILES, ToRead
from benchledger.scanning.samples import known_formats, load_formats
from benchmarks import page
from benchmarks.format_inputs import CORPUS, make_families, only
from benchmarks.limit import TOP

BEGIN = "<!-- formats: begin (written by make bench-formats) -->"
END = "<!-- formats: end -->"
KINDS = ("all", "own")
# Logs of fewer bytes than this stand in the sum only: their time is too short to be told.
LEAST_SHOWN_MB = 5


@dataclass
class Family:
    """The logs of one format, and the seconds that each round took with all formats and with their own."""

    name: str
    files: int
    bytes: int
    seconds: dict[str, list[float]] = field(default_factory=lambda: {kind: [] for kind in KINDS})

    def middle(self, kind: str) -> float:
        return median(self.seconds[kind])


def main() -> None:
    given = arguments()
    inputs: Path = given.folder / "families"
    tell(f"making {given.mb} MB of logs in {inputs}, unless they are there")
    source = make_families(inputs, given.mb, given.corpus)
    families = {folder: counted(folder) for folder in sorted(inputs.iterdir()) if folder.is_dir()}
    start = Family("start", 0, 0)
    for number in range(1, given.rounds + 1):
        for folder, each in families.items():
            definitions = {"all": TOP, "own": only(each.name, given.folder / "definitions")}
            if folder == next(iter(families)):
                in_turn(number, start, definitions, proved)
            if in_turn(number, each, definitions, partial(read, folder)) != {each.name: each.files}:
                sys.exit(f"{folder}: not every log is of format {each.name}: no ratio can be stated")
            tell(f"round {number} of {given.rounds}: {row(each)}")
    now = datetime.now().astimezone()
    text = section(list(families.values()), start, f"Measured on {now.date()} by `make bench-formats`", source)
    print(text)
    page.write(given.page, text, BEGIN, END)
    keep_rounds(given.results / f"formats-{now:%Y-%m-%dT%H%M%S}.json", [start, *families.values()])
    shutil.rmtree(given.folder / "definitions")
    if not given.keep:
        shutil.rmtree(inputs)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--mb", type=int, default=2000)
    parser.add_argument("--corpus", type=Path, default=CORPUS)
    parser.add_argument("--keep", action="store_true", help="keep the inputs for the next time")
    parser.add_argument("--folder", type=Path, default=TOP / ".bench", help="where inputs are made")
    parser.add_argument("--page", type=Path, default=TOP / "docs" / "performance.md")
    parser.add_argument("--results", type=Path, default=TOP / "benchmarks" / "results")
    return parser.parse_args()


def counted(folder: Path) -> Family:
    """A family's files, each read once, so that all rounds find them in the page cache."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return Family(folder.name, len(files), sum(len(path.read_bytes()) for path in files))


def in_turn(
    number: int, family: Family, definitions: dict[str, Path], timed: Callable[[Path], tuple[float, dict[str, int]]]
) -> dict[str, int]:
    """Does it with all formats and with their own, which of them first by turns; both must find the same."""
    found = {}
    for kind in KINDS if number % 2 else reversed(KINDS):
        seconds, found[kind] = timed(definitions[kind])
        family.seconds[kind].append(seconds)
    if found["all"] != found["own"]:
        sys.exit(f"{family.name}: all formats find {found['all']}, their own {found['own']}: no ratio can be stated")
    return found["all"]


def proved(definitions: Path) -> tuple[float, dict[str, int]]:
    """Reads and proves the formats of a folder of definitions."""
    use(definitions)
    began = process_time()
    load_formats()
    return _since(began), {}


def read(logs: Path, definitions: Path) -> tuple[float, dict[str, int]]:
    """Reads all logs of a folder as a process of an ingest does; how many are of which format."""
    use(definitions)
    batches = units(logs)
    # Twice: what only the first reading of a program does, imports and compiled templates, is done before the clock.
    for files in (batches[0][:1], []):
        reader = process_reader(frozenset(), b"a key for pseudonyms, of no use", logs.parent)
        reader.read(files)
    # What the reading before this one learned would be compiled already.
    re.purge()
    began = process_time()
    found = Counter(was.format or was.status for files in batches for was in reader.read(files).files)
    return _since(began), dict(found)


def use(definitions: Path) -> None:
    """Reads definitions from this folder from now on: this is the one helper through which all are found."""
    folders.shipped_root = lambda: definitions
    known_formats.cache_clear()
    load_formats.cache_clear()


def units(logs: Path) -> list[list[ToRead]]:
    """Files that an ingest reads together."""
    found: list[list[ToRead]] = []
    bytes_ = UNIT_BYTES
    for path in sorted(path for path in logs.rglob("*") if path.is_file()):
        size = path.stat().st_size
        if bytes_ + size > UNIT_BYTES or len(found[-1]) >= UNIT_FILES:
            found.append([])
            bytes_ = 0
        found[-1].append(ToRead(str(path), size))
        bytes_ += size
    return found


def section(families: list[Family], start: Family, heading: str, source: str) -> str:
    """The sum over all families, and each that is large enough to say something."""
    total = Family("**all**", sum(each.files for each in families), sum(each.bytes for each in families))
    total.seconds = {kind: [sum(each.middle(kind) for each in families)] for kind in KINDS}
    shown = [each for each in families if each.bytes >= LEAST_SHOWN_MB * 1e6]
    shown.sort(key=lambda each: each.middle("all") / each.middle("own"), reverse=True)
    rounds = len(start.seconds["all"])
    lines = [
        f"{heading}: {page.machine()}",
        f"Logs: {source}, each copied with one digit changed. Reading, from files to Arrow tables, in processor",
        f"seconds of one process; medians of {rounds} interleaved round{'s' if rounds > 1 else ''}.",
        "",
        "| logs of | files | MB | all formats | their own only | all / own |",
        "|---|---|---|---|---|---|",
        *(row(each) for each in (total, *shown)),
        "",
        f"Families of less than {LEAST_SHOWN_MB} MB stand in the sum only. Once an ingest, a checkout reads and proves",
        # Of the first round: what it compiled serves the others.
        f"its definitions: {start.seconds['all'][0]:.2f} s with all formats, {start.seconds['own'][0]:.2f} s with one.",
    ]
    return "\n".join(lines) + "\n"


def _since(began: float) -> float:
    # The clock of some machines stands still for milliseconds: a small family may take no time by it.
    return max(process_time() - began, 1e-6)


def row(each: Family) -> str:
    """One line of the table."""
    cells = [f"{each.middle(kind):.2f} s, {each.bytes / 1e6 / each.middle(kind):.1f} MB/s" for kind in KINDS]
    ratio = f"{each.middle('all') / each.middle('own'):.2f}"
    return f"| {each.name} | {each.files:,} | {each.bytes / 1e6:,.1f} | {cells[0]} | {cells[1]} | {ratio} |"


def keep_rounds(path: Path, families: list[Family]) -> None:
    """A dated file per benchmark, which no later one overwrites."""
    path.parent.mkdir(parents=True, exist_ok=True)
    kept = {each.name: {"files": each.files, "bytes": each.bytes, "seconds": each.seconds} for each in families}
    path.write_text(json.dumps({"machine": page.machine(), "families": kept}, indent=1) + "\n")


def tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
