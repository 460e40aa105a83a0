"""What a shell offers at TAB, asked as the shells ask: by click's protocol."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchledger.cli.main import COMMANDS
from tests.cli.bench import run_bench


def offered(*words: str) -> list[str]:
    """What is offered for the last word."""
    line = ["bench", *words]
    result = run_bench(
        env={"_BENCH_COMPLETE": "bash_complete", "COMP_WORDS": " ".join(line), "COMP_CWORD": str(len(words))}
    )
    assert result.stderr == ""
    return [item.partition(",")[2] for item in result.stdout.splitlines() if item]


def test_commands_are_offered_without_loading_them() -> None:
    assert offered("") == sorted(COMMANDS)
    assert offered("ex") == [name for name in sorted(COMMANDS) if name.startswith("ex")]
    code = "import sys; from benchledger.cli.main import bench\ntry: bench(prog_name='bench')\nfinally: print([name for name in ('duckdb', 'polars', 'benchledger.cli.report') if name in sys.modules], file=sys.stderr)"
    asked = {**os.environ, "_BENCH_COMPLETE": "bash_complete", "COMP_WORDS": "bench ", "COMP_CWORD": "1"}
    assert subprocess.run([sys.executable, "-c", code], env=asked, capture_output=True, text=True).stderr == "[]\n"


def test_subcommands_options_and_choices_are_offered() -> None:
    assert {"speed", "speedup"} <= set(offered("report", "s"))
    assert "--campaign" in offered("report", "speed", "--ca")
    assert offered("report", "speed", "--format", "c") == ["csv"]
    assert offered("completion", "") == ["bash", "zsh", "fish"]


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
def test_bash_itself_completes(tmp_path: Path) -> None:
    bench = tmp_path / "bench"
    bench.write_text(f"#!{sys.executable}\nfrom benchledger.cli.main import main\nmain()\n")
    bench.chmod(0o755)
    (tmp_path / "script").write_text(run_bench("completion", "bash").stdout)
    asking = f"""
source {tmp_path / "script"}
COMP_WORDS=(bench report speedu)
COMP_CWORD=2
_bench_completion bench
echo "${{COMPREPLY[@]}}"
complete -p bench
"""
    env = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(["bash", "--norc", "-c", asking], capture_output=True, text=True, env=env)

    assert done.stdout.splitlines()[0] == "speedup", done.stderr
    assert "_bench_completion" in done.stdout.splitlines()[1]
