"""Measures `bench ingest` against its limit, and `bench --help` against bare Python.

    python -m benchmarks.run [--rounds 3] [--small-files 20000] [--large-files 4] [--large-mb 250] [--keep]

Makes its inputs under .bench/ (git-ignored), prints the tables, writes them into docs/performance.md, and keeps every
round in benchmarks/results/.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

from benchmarks import page
from benchmarks.inputs import Sizes, make_inputs
from benchmarks.limit import TOP, anchors_in
from benchmarks.rounds import Measurement, Starts, measure_ingest, measure_starts


def main() -> None:
    given = arguments()
    sizes = Sizes(given.small_files, given.small_kb, given.large_files, given.large_mb)
    inputs: Path = given.folder / "inputs"
    tell(f"making inputs in {inputs}, unless they are there")
    make_inputs(inputs, sizes)
    names = {
        "small": f"{sizes.small_files:,} of {sizes.small_kb} KB",
        "large": f"{sizes.large_files:,} of {sizes.large_mb} MB",
    }
    sets = [warmed(name, inputs / kind) for kind, name in names.items() if (inputs / kind).is_dir()]
    folders = [inputs / kind for kind in names if (inputs / kind).is_dir()]
    starts: list[Starts] = []
    for number in range(1, given.rounds + 1):
        starts.append(measure_starts())
        for each, folder in zip(sets, folders, strict=True):
            tell(f"round {number} of {given.rounds}: {each.name}")
            got = measure_ingest(folder, given.folder / "scratch", each.anchors, given.jobs)
            if got.logs != each.files:
                sys.exit(f"{folder}: {got.logs} of {each.files} logs were loaded: no speed can be stated")
            each.rounds.append(got)
            tell(f"  ingest {got.ingest:.2f} s, limit {got.limit:.2f} s, multiple {got.multiple:.1f}")
    now = datetime.now().astimezone()
    heading = f"Measured on {now.date()} by `make bench`: {page.machine()}"
    text = page.section(sets, starts, given.jobs, heading)
    print(text)
    page.write(given.page, text)
    keep_rounds(given.results / f"{now:%Y-%m-%dT%H%M%S}.json", sets, starts, given.jobs)
    if not given.keep:
        shutil.rmtree(inputs)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--small-files", type=int, default=20_000)
    parser.add_argument("--small-kb", type=int, default=16)
    parser.add_argument("--large-files", type=int, default=4)
    parser.add_argument("--large-mb", type=int, default=250)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--keep", action="store_true", help="keep the inputs for the next time")
    parser.add_argument("--folder", type=Path, default=TOP / ".bench", help="where inputs and databases are made")
    parser.add_argument("--page", type=Path, default=TOP / "docs" / "performance.md")
    parser.add_argument("--results", type=Path, default=TOP / "benchmarks" / "results")
    return parser.parse_args()


def warmed(name: str, folder: Path) -> page.Measured:
    """Reads every file once, so that all rounds find them in the page cache, and counts them."""
    files = [path for path in folder.rglob("*.log") if path.is_file()]
    return page.Measured(name, len(files), sum(len(path.read_bytes()) for path in files), anchors_in(folder), [])


def keep_rounds(path: Path, sets: list[page.Measured], starts: list[Starts], jobs: int) -> None:
    """A dated file per benchmark, which no later one overwrites."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rounds: dict[str, list[Measurement]] = {each.name: each.rounds for each in sets}
    kept = {
        "machine": page.machine(),
        "jobs": jobs,
        "bytes": {each.name: each.bytes for each in sets},
        "rounds": {name: [asdict(one) for one in found] for name, found in rounds.items()},
        "starts": [asdict(each) for each in starts],
    }
    path.write_text(json.dumps(kept, indent=1) + "\n")


def tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
