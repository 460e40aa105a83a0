"""Measures `bench ingest` against its limit, against a script for one framework, and how it grows.

    python -m benchmarks.run [--rounds 3] [--small-files 20000] [--large-files 8] [--large-mb 250] [--keep]

Makes its inputs under .bench/ (git-ignored), prints the tables, writes them into docs/performance.md, and keeps every
round in benchmarks/results/. With BENCH_SCANNER=python there is no scanner to compare with.
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
from benchmarks.again import measure_again
from benchmarks.growth import measure_growth, measure_packed, measure_peaks
from benchmarks.ingests import fresh, ingest
from benchmarks.inputs import ARCHIVES, Sizes, make_inputs
from benchmarks.large_ledger import multiply
from benchmarks.limit import TOP, anchors_in
from benchmarks.page_goals import goals_section
from benchmarks.page_growth import Further, further_section
from benchmarks.rounds import Starts, measure_set, measure_starts

SETS = ("small", "dense", "sparse")


def main() -> None:
    given = arguments()
    sizes = Sizes(given.small_files, given.small_kb, given.large_files, given.large_mb, given.peak_mb)
    inputs: Path = given.folder / "inputs"
    scratch: Path = given.folder / "scratch"
    tell(f"making inputs in {inputs}, unless they are there")
    make_inputs(inputs, sizes)
    each_of = {"small": f"{sizes.small_kb} KB", **{kind: f"{sizes.large_mb} MB, {kind}" for kind in SETS[1:]}}
    sets = {kind: warmed(inputs / kind, each_of[kind]) for kind in SETS if (inputs / kind).is_dir()}
    starts: list[Starts] = []
    further = Further()
    large = large_ledger(inputs, given)
    for number in range(1, given.rounds + 1):
        starts.append(measure_starts())
        for kind, each in sets.items():
            tell(f"round {number} of {given.rounds}: {each.name}")
            got = measure_set(inputs / kind, scratch, each.anchors, given.jobs, by_python=kind == "sparse")
            if got.logs != each.files:
                sys.exit(f"{inputs / kind}: {got.logs} of {each.files} logs were loaded: no speed can be stated")
            each.rounds.append(got)
            tell(f"  ingest {got.ingest:.2f} s, limit {got.limit:.2f} s, multiple {got.multiple:.1f}")
        if large is not None:
            tell("  unchanged files, new files, growth")
            further.again.append(measure_again(inputs / "small", large, given.folder / "again", given.jobs, number))
            if number <= given.heavy_rounds:
                further.growth.append(measure_growth(inputs / "small", scratch, given.jobs))
        if sizes.large_files:
            tell("  archives, long files")
            plain, archives = [inputs / "dense", inputs / "sparse"], [inputs / "packed" / name for name in ARCHIVES]
            further.packed.append(measure_packed(plain, archives, scratch, given.jobs))
            if number <= given.heavy_rounds:
                long = {kind: sorted((inputs / "long").glob(f"{kind}-*")) for kind in ("dense", "sparse")}
                further.peaks.append(measure_peaks(long, scratch, given.jobs))
    now = datetime.now().astimezone()
    heading = f"Measured on {now.date()} by `make {page.SECTIONS[given.section]}`: {page.machine()}"
    found = list(sets.values())
    text = page.section(found, starts, given.jobs, heading) + further_section(further)
    text += goals_section(found, starts, further)
    print(text)
    page.write(given.page, text, *page.marks(given.section))
    keep_rounds(given.results / f"{now:%Y-%m-%dT%H%M%S}.json", found, starts, further, given.jobs)
    if not given.keep:
        shutil.rmtree(inputs)
        shutil.rmtree(given.folder / "again", ignore_errors=True)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--heavy-rounds",
        type=int,
        default=1,
        help="how many of them read long files and parts of the small ones too",
    )
    parser.add_argument("--small-files", type=int, default=20_000)
    parser.add_argument("--small-kb", type=int, default=16)
    parser.add_argument("--large-files", type=int, default=8, help="half of them dense, half sparse")
    parser.add_argument("--large-mb", type=int, default=250)
    parser.add_argument(
        "--peak-mb", type=int, default=60, help="files of this size and eight times it, for their memory"
    )
    parser.add_argument("--multiply", type=int, default=1, help="how often the large ledger holds the dense logs")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--keep", action="store_true", help="keep the inputs for the next time")
    parser.add_argument("--folder", type=Path, default=TOP / ".bench", help="where inputs and databases are made")
    parser.add_argument("--page", type=Path, default=TOP / "docs" / "performance.md")
    parser.add_argument(
        "--section", choices=page.SECTIONS, default="measured", help="which part of the page is written"
    )
    parser.add_argument("--results", type=Path, default=TOP / "benchmarks" / "results")
    return parser.parse_args()


def large_ledger(inputs: Path, given: argparse.Namespace) -> Path | None:
    """A ledger of the small logs, and of the dense ones as often as was asked for; None without small ones."""
    if not (inputs / "small").is_dir():
        return None
    tell("making a ledger to ingest into again")
    database = fresh(given.folder / "again")
    if given.multiply > 1:
        ingest([inputs / "dense"], database, given.jobs)
        multiply(database, given.multiply)
    ingest([inputs / "small"], database, given.jobs)
    return database


def warmed(folder: Path, each: str) -> page.Measured:
    """Reads every file once, so that all rounds find them in the page cache, and counts them."""
    files = [path for path in folder.rglob("*.log") if path.is_file()]
    size = sum(len(path.read_bytes()) for path in files)
    return page.Measured(f"{len(files):,} of {each}", len(files), size, anchors_in(folder), [])


def keep_rounds(path: Path, sets: list[page.Measured], starts: list[Starts], further: Further, jobs: int) -> None:
    """A dated file per benchmark, which no later one overwrites."""
    path.parent.mkdir(parents=True, exist_ok=True)
    kept = {
        "machine": page.machine(),
        "jobs": jobs,
        "bytes": {each.name: each.bytes for each in sets},
        "rounds": {each.name: [asdict(one) for one in each.rounds] for each in sets},
        "starts": [asdict(each) for each in starts],
        "further": asdict(further),
    }
    path.write_text(json.dumps(kept, indent=1) + "\n")


def tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
