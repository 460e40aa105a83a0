"""What stands before a profiled runner, and how the Python of a framework is made: as text."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchledger import make_environment, run
from benchledger.errors import BenchledgerError, UsageError
from benchledger.running import environments, manifest
from benchledger.running.failure import Exit, failure_of
from benchledger.running.launch import profiler_words

OF_PEAK = ".avg.pct_of_peak_sustained_elapsed"


def metrics(capability: float | None) -> list[str]:
    return profiler_words("ncu", Path("a/run.json"), capability)[-1].split(",")


def test_ncu_is_asked_for_the_metrics_that_the_gpu_has() -> None:
    old, hopper = f"sm__inst_executed_pipe_fp16{OF_PEAK}", f"sm__inst_executed_pipe_fma_type_fp16{OF_PEAK}"

    assert (old in metrics(8.0), hopper in metrics(8.0)) == (True, False)
    assert (old in metrics(9.0), hopper in metrics(9.0)) == (False, True)
    assert {old, hopper} <= set(metrics(None))
    assert all("gpc__cycles_elapsed.max" in metrics(capability) for capability in (None, 8.0, 9.0))


def test_ncu_stands_before_python_and_its_csv_beside_the_log() -> None:
    words, few = (profiler_words(name, Path("a/run.json"), 9.0) for name in ("ncu", "ncu:400"))

    assert words[:4] == ["ncu", "--csv", "--log-file", "a/run.ncu.csv"]
    assert [word for word in few if word not in words] == ["--launch-count", "400"]
    assert words[6:8] == ["--profile-from-start", "off"]
    assert profiler_words("torch", Path("a/run.json"), 9.0) == []


@pytest.mark.parametrize(("profiler", "iterations"), [("ncu", "--max-iterations 5"), ("torch", "--max-iterations 40")])
def test_a_profiled_run_is_short_unless_one_asks_for_more(profiler: str, iterations: str) -> None:
    sweep = ["batch_size=32", "precision=fp16"]
    command = run("bert_base", sweep=sweep, profile=profiler, dry_run=True)["command"][0]
    longer = run("bert_base", sweep=[*sweep, "max_iterations=70"], profile=profiler, dry_run=True)["command"][0]

    assert iterations in command
    assert "--max-iterations 70" in longer
    assert command.endswith("--profile torch" if profiler == "torch" else "--profile cuda")


def test_another_s_program_is_not_profiled_by_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEGATRON", "/opt/megatron")
    for other in ("megatron_gpt", "bert_base_oneflow", "gpt_megatron"):
        with pytest.raises(UsageError, match="--profile works with our PyTorch runners only"):
            run(other, profile="ncu", dry_run=True)


def test_counters_that_may_not_be_read_are_told_with_the_cure(tmp_path: Path) -> None:
    log = tmp_path / "x.log"
    log.write_text(
        "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters\n"
    )
    failure = failure_of(Exit(1), log)

    assert failure is not None
    assert (failure.mark, "NVreg_RestrictProfilingToAdminUsers=0" in failure.cure) == ("counters", True)


def test_each_environment_is_made_by_its_own_python() -> None:
    commands = make_environment("mxnet", dry_run=True)

    assert commands[0] == "python3.8 -m venv --clear .bench/environments/mxnet"
    assert commands[1].startswith(".bench/environments/mxnet/bin/python -m pip install -r ")
    assert commands[1].endswith("runners/environments/mxnet.txt")
    with pytest.raises(UsageError, match="known: jax, megatron, mxnet, oneflow, paddlepaddle, pytorch, tensorflow"):
        make_environment("julia", dry_run=True)


def test_a_python_that_is_not_here_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environments, "environment_commands", lambda _name: [["python3.4", "-m", "venv", "x"]])
    with pytest.raises(BenchledgerError, match=r"old needs python3\.4, which is not installed"):
        make_environment("old")


def test_a_command_of_pyenv_for_a_python_that_is_not_chosen_is_no_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shim = tmp_path / "python3.4"
    shim.write_text("#!/bin/sh\nexit 127\n")
    shim.chmod(0o755)
    monkeypatch.setattr(environments, "environment_commands", lambda _name: [[str(shim), "-m", "venv", "x"]])

    with pytest.raises(BenchledgerError, match=r"which is not installed\..* pyenv shell"):
        make_environment("old")


def test_an_environment_that_could_not_be_made_whole_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    python = tmp_path / ".bench" / "environments" / "half" / "bin" / "python"
    first = ["sh", "-c", f"mkdir -p {python.parent} && touch {python}"]
    monkeypatch.setattr(environments, "environment_commands", lambda _name: [["true"], first, ["false"]])

    with pytest.raises(BenchledgerError, match="false: exit code 1"):
        make_environment("half")
    assert environments.environment_python("half") is None


def test_a_case_uses_the_environment_that_was_made_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    python = tmp_path / ".bench" / "environments" / "pytorch" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.touch()

    assert environments.environment_python("pytorch") == python
    assert environments.environment_python("mxnet") is None


@pytest.mark.parametrize("words", [("false",), ("echo", "[1]"), ("echo",), ("no-such-python",)])
def test_a_python_that_tells_no_environment_is_named(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert manifest._asked(words, ()) == ()
    assert f"the environment is not known: {' '.join(words)[:5]}" in capsys.readouterr().err
