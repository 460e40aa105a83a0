"""LAMB under a GradScaler: it learns the same as without, skips what overflowed, and never asks the device for a number."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

from tests.runners.conftest import PROGRAMS

# Trains a few weights for each line of its input: `steps` says of each step what its loss is multiplied by.
STEPS = """
import json, sys
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from models.lamb import Lamb

class Asked(TorchDispatchMode):
    count = 0
    def __torch_dispatch__(self, operator, types, args=(), kwargs=None):
        Asked.count += operator is torch.ops.aten._local_scalar_dense.default
        return operator(*args, **(kwargs or {}))

while line := sys.stdin.readline():
    scaled, fused, *steps = json.loads(line)
    Asked.count = 0
    torch.manual_seed(1)
    model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1))
    weights = list(model.parameters())
    groups = [{"params": weights[::2], "weight_decay": 0.01}, {"params": weights[1::2], "weight_decay": 0.0}]
    optimizer = Lamb(groups, torch.tensor(0.01), fused=fused)
    scaler = torch.amp.GradScaler("cpu", enabled=scaled, init_scale=1024.0)
    kept = []
    for factor in steps:
        loss = (model(torch.arange(32.0).view(4, 8)) ** 2).mean() * float(factor)
        scaler.scale(loss).backward()
        if fused:
            scaler.step(optimizer)
        else:
            with Asked():
                scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
        moments = [optimizer.state[weight][name] for weight in weights for name in ("first", "second")]
        kept.append([tensor.flatten().tolist() for tensor in (optimizer._count, *weights, *moments)])
    print(json.dumps({"kept": kept, "asked": Asked.count}), flush=True)
"""


@pytest.fixture(scope="module")
def lamb(torch_python: str) -> Iterator[subprocess.Popen[str]]:
    """A process that trains what it is told to: to import PyTorch takes far longer than these few steps."""
    words = [torch_python, "-c", STEPS]
    environment = {**os.environ, "PYTHONPATH": str(PROGRAMS)}
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment) as process:
        yield process


def stepped(
    lamb: subprocess.Popen[str], *steps: float | str, scaled: bool = True, fused: bool = False
) -> dict[str, Any]:
    """What each step left: the count, then weights and moments; and how often the device was asked for a number."""
    assert lamb.stdin is not None
    assert lamb.stdout is not None
    print(json.dumps([scaled, fused, *steps]), file=lamb.stdin, flush=True)
    line = lamb.stdout.readline()
    assert line, "it ended; why stands in what it wrote to stderr"
    found: dict[str, Any] = json.loads(line)
    return found


@pytest.mark.parametrize("fused", [False, True])
def test_a_scaled_step_is_that_of_the_gradients_themselves(lamb: subprocess.Popen[str], fused: bool) -> None:
    # The second gradient is longer than LAMB lets it be, the first and the last are not.
    factors = (1e-4, 1e4, 1e-3)
    plain, scaled = (stepped(lamb, *factors, scaled=scaled, fused=fused)["kept"] for scaled in (False, True))

    # The scale is a power of two.
    assert scaled == plain
    assert plain[0] != plain[1] != plain[2]


@pytest.mark.parametrize("fused", [False, True])
def test_a_step_that_overflowed_changes_nothing_at_all(lamb: subprocess.Popen[str], fused: bool) -> None:
    first, second, good, third, last = stepped(lamb, "inf", "nan", 1, "inf", 1, fused=fused)["kept"]

    assert first == second
    assert [step[0] for step in (first, good, third, last)] == [[0.0], [1.0], [1.0], [2.0]]
    assert third == good
    # What came before the first good step left no trace in it.
    assert [good, last] == stepped(lamb, 1, 1, scaled=False, fused=fused)["kept"]


def test_no_step_asks_the_device_for_a_number(lamb: subprocess.Popen[str]) -> None:
    assert stepped(lamb, 1, "inf", 1)["asked"] == 0
