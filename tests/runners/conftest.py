"""A Python that has PyTorch, and the training programs started with it on tiny sizes."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

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


@pytest.fixture
def start(torch_python: str, tmp_path: Path) -> Start:
    """Runs a program on one core of the CPU, in an empty folder, with words as its options."""

    def started(program: str, options: str, processes: int = 1) -> subprocess.CompletedProcess[str]:
        several = ["-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={processes}"]
        words = [
            torch_python,
            *(several if processes > 1 else []),
            str(PROGRAMS / program),
            "--device",
            "cpu",
            *options.split(),
        ]
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        return subprocess.run(words, capture_output=True, text=True, timeout=300, cwd=tmp_path, env=environment)

    return started


def losses(log: str) -> list[float]:
    """The loss of each line of a step."""
    return [float(loss) for loss in re.findall(r" step_loss : (\S+) ", log)]
