"""What a shell offers at TAB, asked as the shells ask: by click's protocol."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchledger.cli.main import COMMANDS
from tests.cli.bench import run_bench
from tests.ledger_rows import ledger_rows
from tests.store.test_lock_wait import holder


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    db = tmp_path_factory.mktemp("completion") / "bench.duckdb"
    with ledger_rows(db) as ledger:
        ledger.run(1.0, key="aaaa00000000-1", campaign="autumn", path="logs/a.log")
        ledger.run(1.0, key="aabb00000000-1", campaign="$(touch hacked)", gpus=8)
        ledger.run(1.0, key="cccc00000000-1", campaign="two words", path="logs/`id`.log", gpus=16)
    return db


def offered(*words: str, db: Path | None = None, env: dict[str, str] | None = None) -> list[str]:
    """What is offered for the last word."""
    line = ["bench", *(["--db", str(db)] if db else []), *words]
    asked = {"_BENCH_COMPLETE": "bash_complete", "COMP_WORDS": " ".join(line), "COMP_CWORD": str(len(line) - 1)}
    result = run_bench(env={**asked, **(env or {})})
    assert result.stderr == ""
    return [item.partition(",")[2] for item in result.stdout.splitlines() if item]


def test_commands_are_offered_without_loading_them() -> None:
    assert offered("") == sorted(COMMANDS)
    assert offered("ex") == [name for name in sorted(COMMANDS) if name.startswith("ex")]
    code = "import sys; from benchledger.cli.main import bench\ntry: bench(prog_name='bench')\nfinally: print([name for name in ('duckdb', 'polars', 'benchledger.cli.report') if name in sys.modules], file=sys.stderr)"
    asked = {**os.environ, "_BENCH_COMPLETE": "bash_complete", "COMP_WORDS": "bench ", "COMP_CWORD": "1"}
    assert subprocess.run([sys.executable, "-c", code], env=asked, capture_output=True, text=True).stderr == "[]\n"


def test_subcommands_options_and_definitions_are_offered() -> None:
    assert {"speed", "speedup"} <= set(offered("report", "s"))
    assert "--campaign" in offered("report", "speed", "--ca")
    assert {"rejects", "rules"} <= set(offered("query", "r"))
    assert "ngc-pytorch-bert" in offered("formats", "show", "ngc")
    assert "ngc.summary" in offered("report", "speed", "--rule", "ngc")
    assert offered("report", "speed", "--format", "c") == ["csv"]
    assert "ngc.summary" in offered("export", "tables", "speed", "--rule", "ngc")
    assert "ngc.summary" in offered("export", "dlperf", "--rule", "ngc")
    assert offered("export", "tables", "speed", "--layout", "paddle") == ["paddle", "paddle_max"]
    assert offered("report", "logs", "--layout", "") == ["paddle", "paddle_max"]
    assert offered("report", "environment", "--layout", "") == ["dlperf", "paddle"]
    assert offered("completion", "") == ["bash", "zsh", "fish"]


def test_what_the_ledger_holds_is_offered(db: Path) -> None:
    assert offered("show", "aa", db=db) == ["aaaa00000000-1", "aabb00000000-1"]
    assert offered("exclude", "aaaa00000000-1", "aa", db=db) == ["aabb00000000-1"]
    assert offered("report", "speed", "--campaign", "", db=db) == ["autumn"]
    assert offered("runs", "--gpus", "1", db=db) == ["1", "16"]
    assert offered("runs", "--gpu-model", "", db=db) == ["V100-SXM2-16GB"]
    assert offered("runs", "--status", "", db=db) == ["ok"]
    assert offered("forget", "logs/a", db=db) == ["logs/a.log", "logs/aabb00000000-1.log"]
    assert offered("show", "cc", env={"BENCH_DB": str(db)}) == ["cccc00000000-1"]


def test_nothing_that_a_shell_would_run_is_offered(db: Path) -> None:
    assert offered("runs", "--campaign", "$", db=db) == []
    assert "logs/`id`.log" not in offered("forget", "logs/", db=db)


def test_a_held_or_missing_ledger_offers_nothing_at_once(db: Path, tmp_path: Path) -> None:
    with holder(db, "w"):
        began = time.monotonic()
        assert offered("show", "", db=db) == []
        assert time.monotonic() - began < 20
    assert offered("show", "", db=tmp_path / "none.duckdb") == []
    assert list(tmp_path.iterdir()) == []


def test_a_tab_costs_little_more_than_starting_python_with_duckdb(db: Path) -> None:
    resource = pytest.importorskip("resource")
    asked = {
        **os.environ,
        "_BENCH_COMPLETE": "bash_complete",
        "COMP_WORDS": f"bench --db {db} show a",
        "COMP_CWORD": "4",
    }
    tab = "import sys; sys.argv = ['bench']; from benchledger.cli.main import main; main()"
    start = "import click, duckdb; print('plain,aaaa00000000-1\\nplain,aabb00000000-1')"

    def seconds(script: str) -> float:
        # Of the processor: other programs may be running.
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([sys.executable, "-c", script], env=asked, capture_output=True, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert done.stdout.splitlines() == ["plain,aaaa00000000-1", "plain,aabb00000000-1"]
        return float(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)

    tabs, starts = zip(*((seconds(tab), seconds(start)) for _ in range(3)), strict=True)
    # 1.3 times it is; with polars, which no tab needs, it would be three times.
    assert min(tabs) < 2 * min(starts)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_is_taken_by_its_shell(shell: str, tmp_path: Path) -> None:
    script = run_bench("completion", shell)

    assert script.exit_code == 0
    assert "_BENCH_COMPLETE" in script.stdout
    if shutil.which(shell):
        (tmp_path / "script").write_text(script.stdout)
        checked = subprocess.run([shell, "-n", str(tmp_path / "script")], capture_output=True, text=True)
        assert (checked.returncode, checked.stderr) == (0, "")


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")
def test_bash_itself_completes(db: Path, tmp_path: Path) -> None:
    bench = tmp_path / "bench"
    bench.write_text(f"#!{sys.executable}\nfrom benchledger.cli.main import main\nmain()\n")
    bench.chmod(0o755)
    (tmp_path / "script").write_text(run_bench("completion", "bash").stdout)
    asking = f"""
source {tmp_path / "script"}
COMP_WORDS=(bench --db {db} show aab)
COMP_CWORD=4
_bench_completion bench
echo "${{COMPREPLY[@]}}"
complete -p bench
"""
    env = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(["bash", "--norc", "-c", asking], capture_output=True, text=True, env=env)

    assert done.stdout.splitlines()[0] == "aabb00000000-1", done.stderr
    assert "_bench_completion" in done.stdout.splitlines()[1]
