"""A Python that has PyTorch, and the training programs started with it on tiny sizes."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

# Imports PyTorch once, which takes longer than most of these runs. Then each line of its input is a run in a process of
# its own, which goes on as if it had begun with these words.
FORKING = """
import json, os, runpy, signal, sys
import torch
while line := sys.stdin.readline():
    words, folder, environment, printed = json.loads(line)
    child = os.fork()
    if child == 0:
        signal.alarm(300)
        for number, file in enumerate(printed, start=1):
            os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT), number)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        sys.argv, sys.path[0] = words, os.path.dirname(words[0])
        runpy.run_path(words[0], run_name="__main__")
        sys.exit()
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
PROGRAMS = Path(__file__).parents[2] / "runners" / "pytorch"
Start = Callable[..., subprocess.CompletedProcess[str]]


def python_with_torch() -> str:
    """This Python, or the one that BENCH_TORCH_PYTHON names; skips the test where neither has PyTorch."""
    named = os.environ.get("BENCH_TORCH_PYTHON")
    if not named and not importlib.util.find_spec("torch"):
        pytest.skip("no PyTorch here: BENCH_TORCH_PYTHON names a Python that has torch, numpy and h5py")
    return named or sys.executable


@pytest.fixture(scope="session")
def torch_python() -> str:
    """A Python that has PyTorch."""
    return python_with_torch()


@pytest.fixture(scope="session")
def forking(torch_python: str) -> Iterator[subprocess.Popen[str]]:
    """A process that has PyTorch, and runs what it is told to."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    words = [torch_python, "-c", FORKING]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment) as process:
        yield process


@pytest.fixture
def start(
    forking: subprocess.Popen[str], torch_python: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> Start:
    """Runs a program on one core of the CPU, in an empty folder, with words as its options."""

    def started(program: str, options: str, processes: int = 1) -> subprocess.CompletedProcess[str]:
        words = [str(PROGRAMS / program), "--device", "cpu", *options.split()]
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        if processes > 1:
            several = ["-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={processes}"]
            whole = [torch_python, *several, *words]
            return subprocess.run(whole, capture_output=True, text=True, timeout=300, cwd=tmp_path, env=environment)
        printed = tmp_path_factory.mktemp("printed")
        out, error = printed / "out", printed / "error"
        assert forking.stdin is not None
        assert forking.stdout is not None
        print(json.dumps([words, str(tmp_path), environment, [str(out), str(error)]]), file=forking.stdin, flush=True)
        code = int(forking.stdout.readline())
        return subprocess.CompletedProcess(words, code, out.read_text(), error.read_text())

    return started


def losses(log: str) -> list[float]:
    """The loss of each line of a step."""
    return [float(loss) for loss in re.findall(r" step_loss : (\S+) ", log)]
