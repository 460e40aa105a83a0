"""The Triton kernels, run on a CPU by Triton's interpreter, give what plain PyTorch gives; half weights teach as whole ones do."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.runners.conftest import PROGRAMS, Start, losses
from tests.runners.test_pytorch import TINY_BERT, TINY_GPT, good

INTERPRETED = {**os.environ, "TRITON_INTERPRET": "1", "OMP_NUM_THREADS": "1"}


@pytest.fixture(scope="module")
def triton_python(torch_python: str) -> str:
    if subprocess.run([torch_python, "-c", "import triton"], capture_output=True).returncode:
        pytest.skip("no Triton beside PyTorch")
    return torch_python


def test_kernels_and_their_gradients_are_those_of_float64(triton_python: str) -> None:
    size = ["--batch-size", "2", "--seq-len", "16", "--width", "32", "--heads", "2"]
    words = [triton_python, str(PROGRAMS / "check_kernels.py"), *size]
    run = subprocess.run(words, env=INTERPRETED, capture_output=True, text=True, timeout=500)

    assert good(run).count("from float64: ") == 7


@pytest.mark.parametrize(("program", "options"), [("bert.py", TINY_BERT), ("gpt.py", TINY_GPT)])
def test_a_model_of_kernels_loses_what_the_plain_one_does(
    start: Start, triton_python: str, program: str, options: str
) -> None:
    options += "--batch-size 1 --max-iterations 3 --log-interval 1 --dropout 0"
    words = [triton_python, str(PROGRAMS / program), "--device", "cpu", *options.split(), "--fused-kernels"]
    run = subprocess.run(words, env=INTERPRETED, capture_output=True, text=True, timeout=500)

    assert losses(good(run)) == pytest.approx(losses(good(start(program, options))), abs=1e-4)


def test_half_weights_lose_what_whole_ones_do(start: Start) -> None:
    options = TINY_BERT + "--max-iterations 60 --dropout 0 --precision bf16 "
    half, whole = losses(good(start("bert.py", options + "--half-weights"))), losses(good(start("bert.py", options)))

    assert half == pytest.approx(whole, rel=0.01)
    assert half[-1] < half[0] - 0.2


def test_two_processes_with_half_weights_learn_together(start: Start) -> None:
    options = TINY_BERT + "--batch-size 16 --gradient-accumulation 2 --max-iterations 40 --dropout 0 --precision bf16 "
    half, whole = (losses(good(start("bert.py", options + more, processes=2))) for more in ("--half-weights", ""))

    assert half == pytest.approx(whole, rel=0.01)


def test_weights_that_are_saved_are_the_whole_ones(start: Start, torch_python: str, tmp_path: Path) -> None:
    good(start("bert.py", TINY_BERT + "--max-iterations 4 --precision bf16 --half-weights --save-checkpoint taught.pt"))
    code = "import torch; print({str(weight.dtype) for weight in torch.load('taught.pt').values()})"
    run = subprocess.run([torch_python, "-c", code], cwd=tmp_path, capture_output=True, text=True)

    assert good(run) == "{'torch.float32'}\n"
