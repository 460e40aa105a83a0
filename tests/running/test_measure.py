"""The campaign of runners/measure.sh: each of its parts makes runs of cases that are there, at settings that can be."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchledger.cli.main import bench
from tests.docs.pages import TOP

SCRIPT = TOP / "runners" / "measure.sh"
PARTS = re.findall(r"^    \[(\w+)\]=", SCRIPT.read_text(encoding="utf-8"), re.MULTILINE)


def measured(folder: Path, *parts: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The script with a bench that only writes down what it was asked for."""
    stub = folder / "stub.sh"
    stub.write_text('printf "%q " "$@" >>"$(dirname "$0")/asked"; echo >>"$(dirname "$0")/asked"\n')
    given = {"BENCH": f"bash {stub}", "FOLDER": str(folder / "data"), "PYTHON": "true"}
    return subprocess.run(
        ["bash", str(SCRIPT), *parts], env={**os.environ, **given, **environment}, capture_output=True, text=True
    )


@pytest.mark.parametrize("rehearsal", ["", "1"])
def test_every_part_asks_bench_run_for_what_there_is(tmp_path: Path, rehearsal: str) -> None:
    done = measured(tmp_path, *PARTS, REHEARSAL=rehearsal)
    asked = [shlex.split(line) for line in (tmp_path / "asked").read_text().splitlines()]
    runs = [words for words in asked if words[0] == "run"]

    assert done.returncode == 0, done.stderr
    assert len(runs) >= len(PARTS) - 2
    # What trains on data that are not there would not even be written down.
    for words in sorted({tuple(words) for words in runs}):
        planned = CliRunner().invoke(bench, [*words, "--dry-run"])

        assert planned.exit_code == 0, (words, planned.output)
        assert all(("--device cpu" in line) == bool(rehearsal) for line in _commands(planned.output, words))


def _commands(output: str, words: tuple[str, ...]) -> list[str]:
    # The two that no CPU can rehearse are written down as they are.
    return [line for line in output.splitlines() if "runners/pytorch" in line and "--dry-run" not in words]


def test_a_part_that_is_none_and_a_time_that_is_up_are_told(tmp_path: Path) -> None:
    unknown, late = measured(tmp_path, "tabels"), measured(tmp_path, "gpt", LIMIT_S="10")

    assert (unknown.returncode, "no part tabels; known: " in unknown.stderr) == (2, True)
    assert (late.returncode, "no time is left for: " in late.stderr) == (1, True)
    assert not (tmp_path / "asked").exists()


def test_runs_are_made_where_neither_duckdb_nor_polars_is_installed(tmp_path: Path) -> None:
    lacking = "import sys; sys.modules.update(dict.fromkeys(('polars', 'duckdb', 'pyarrow', 'rich', 'numpy')))"
    words = ["run", "bert_tiny", "--staging", str(tmp_path / "staging"), "--python", "no-such-python"]
    code = f"{lacking}; from benchledger.cli.main import bench; bench({words})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)

    assert done.returncode == 1
    assert "| bert_tiny | nlp_bert_tiny_sp_bs4_fp32_cpu | 1     | missing | 127 " in done.stdout
