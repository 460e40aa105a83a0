"""The whole benchmark on a handful of small files."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parent.parent.parent

pytestmark = pytest.mark.skipif(
    not Path(sys.executable).with_name("bench").is_file(), reason="bench is not installed beside this Python"
)


@pytest.mark.long
def test_a_small_benchmark_measures_and_writes_its_page(tmp_path: Path) -> None:
    page, results = tmp_path / "performance.md", tmp_path / "results"
    sizes = ["--rounds", "1", "--small-files", "3", "--large-files", "0", "--peak-mb", "0"]
    places = ["--folder", tmp_path / "work", "--page", page, "--results", results]

    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.run", *sizes, *map(str, places)], cwd=TOP, capture_output=True, text=True
    )

    assert done.returncode == 0, done.stderr
    assert page.read_text().count("| 3 of 16 KB |") == 3
    assert "The small files again, unchanged" in done.stdout
    kept = json.loads(next(results.iterdir()).read_text())
    assert [one["logs"] for one in kept["rounds"]["3 of 16 KB"]] == [3]
    assert not (tmp_path / "work" / "inputs").exists()
