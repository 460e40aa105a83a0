"""The limit of an ingest (DESIGN section 9) in its parts: search the files, insert the rows, start Python."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measure import run

TOP = Path(__file__).resolve().parent.parent
FORMATS = TOP / "ingest" / "formats"


@dataclass(frozen=True)
class Inserted:
    """What DuckDB alone needs for the rows of a finished database."""

    seconds: float
    rows: int
    logs: int
    records: int


def anchors_in(folder: Path) -> list[str]:
    """The anchors of all shipped formats that occur in the files, so that the search looks for nothing in vain."""
    declared: dict[str, None] = {}
    for path in sorted(FORMATS.glob("*.toml")):
        declared.update(dict.fromkeys(tomllib.loads(path.read_text(encoding="utf-8")).get("anchors", [])))
    if not declared:
        sys.exit(f"{FORMATS}: no format states an anchor, so there is nothing to search for")
    return [anchor for anchor in declared if _occurs(anchor, folder)]


def search_seconds(tool: str, anchors: list[str], folder: Path) -> float | None:
    """How long `rg` or `grep` takes to count the anchored lines of every file; None where the tool is absent."""
    program = shutil.which(tool)
    if program is None:
        return None
    patterns = [word for anchor in anchors for word in ("-e", anchor)]
    # -uuu: the inputs stand in a git-ignored folder, which rg would leave out.
    options = ["-uuu"] if tool == "rg" else ["-r"]
    return run([program, "-a", "-c", "-F", *options, *patterns, str(folder)], {"LC_ALL": "C"}).seconds


def insert(finished: Path, fresh: Path) -> Inserted:
    """DuckDB inserting the very same rows from Arrow in memory into a fresh file."""
    fresh.unlink(missing_ok=True)
    command = [sys.executable, "-m", "benchmarks.insert_rows", str(finished), str(fresh)]
    try:
        return Inserted(**json.loads(run(command, {"PYTHONPATH": str(TOP)}).stdout))
    finally:
        fresh.unlink(missing_ok=True)


def start_seconds() -> float:
    """Starting Python with what no ingest can do without."""
    return run([sys.executable, "-c", "import duckdb, pyarrow"]).seconds


def _occurs(anchor: str, folder: Path) -> bool:
    found = subprocess.run(["grep", "-a", "-r", "-q", "-F", "-e", anchor, folder], check=False, env={"LC_ALL": "C"})
    return found.returncode == 0
