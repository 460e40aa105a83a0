"""How the benchmark measures a command: with its children, and with its own words when it fails."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks.measure import run

ALLOCATING_CHILD = """
import subprocess, sys
subprocess.run([sys.executable, "-c", "import time; block = b'x' * 200_000_000; time.sleep(0.5)"])
"""


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").is_file(), reason="no /proc here: the tree is not measured")
def test_memory_of_children_counts() -> None:
    measured = run([sys.executable, "-c", ALLOCATING_CHILD], memory=True)

    assert measured.tree_mib is not None
    assert 190 < measured.tree_mib < 260
    assert measured.seconds >= 0.5


def test_a_command_that_fails_stops_the_benchmark_with_its_words() -> None:
    with pytest.raises(SystemExit, match="no such log"):
        run([sys.executable, "-c", "import sys; sys.exit('no such log')"])


def test_a_command_that_prints_more_than_a_pipe_holds_comes_to_its_end() -> None:
    assert len(run([sys.executable, "-c", "print('x' * 500_000)"]).stdout) == 500_001
