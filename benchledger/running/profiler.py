"""Adds the words of a profiler to a runner's command, so that the run leaves a profile that the ledger reads."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from benchledger.errors import UsageError
from benchledger.running.job import Job

PROFILERS = ("torch", "ncu")
_OF_PEAK = ".avg.pct_of_peak_sustained_elapsed"
# The pipes of README 003: FMA, FP16, tensor cores (instructions issued, and cycles active), SFU.
_PIPES = (
    "sm__inst_executed_pipe_fma",
    "sm__inst_executed_pipe_fp16",
    "sm__inst_executed_pipe_tensor",
    "sm__pipe_tensor_cycles_active",
    "sm__inst_executed_pipe_xu",
)
# Hopper has no FP16 pipe: this is the nearest metric.
_FP16, _HOPPER_FP16, _HOPPER = "sm__inst_executed_pipe_fp16", "sm__inst_executed_pipe_fma_type_fp16", 9.0
# ncu replays each kernel several times, at 0.2 s per kernel and a thousand kernels per step: one step, after warm-up.
_NCU_SETTINGS = {"start_iteration": 4, "stop_iteration": 5, "max_iterations": 5}
_TORCH_SETTINGS = {"start_iteration": 20, "stop_iteration": 30, "max_iterations": 40}


def profiled_job(job: Job, profiler: str, swept: Sequence[str]) -> Job:
    name, most = _parted(profiler)
    if name not in PROFILERS or (most and (name != "ncu" or not most.isdecimal())):
        raise UsageError(
            f"no profiler {profiler!r}; known: {', '.join(PROFILERS)}, and ncu:400 for its first 400 kernels"
        )
    if job.case.arguments or job.case.environment != "pytorch":
        raise UsageError(
            f"{job.case.name}: --profile works with our PyTorch runners only; run others under their own profiler"
        )
    short = _NCU_SETTINGS if name == "ncu" else _TORCH_SETTINGS
    return job.with_settings(**{name: value for name, value in short.items() if name not in swept})


def profiler_words(profiler: str | None, log: Path | None, capability: float | None) -> list[str]:
    """Returns the words before the runner's Python: ncu, with its CSV beside the log. None for torch's own profiler."""
    name, most = _parted(profiler)
    if name != "ncu":
        return []
    pipes = list(_PIPES)
    if capability is None:
        # ncu prints n/a for a metric that the GPU does not have.
        pipes.append(_HOPPER_FP16)
    elif capability >= _HOPPER:
        pipes[pipes.index(_FP16)] = _HOPPER_FP16
    metrics = ",".join(["gpc__cycles_elapsed.max", *(f"{pipe}{_OF_PEAK}" for pipe in pipes)])
    file = (log or Path("profile.json")).with_suffix(".ncu.csv")
    chosen = ["--csv", "--log-file", str(file), "--target-processes", "all", "--profile-from-start", "off"]
    first = ["--launch-count", most] if most else []
    return ["ncu", *chosen, *first, "--clock-control", "none", "--metrics", metrics]


def runner_words(profiler: str | None) -> list[str]:
    """Returns the runner's profile option: profile itself, or mark the profiled part for ncu."""
    return [] if profiler is None else ["--profile", "torch" if profiler == "torch" else "cuda"]


def _parted(profiler: str | None) -> tuple[str, str]:
    """Returns its name, and the number of kernels behind the colon."""
    name, _, most = (profiler or "").partition(":")
    return name, most


@lru_cache(maxsize=1)
def compute_capability() -> float | None:
    """Returns the lowest compute capability of the GPUs here; None if nvidia-smi does not report it."""
    words = ["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"]
    try:
        said = subprocess.run(words, capture_output=True, text=True, timeout=20, check=True).stdout.split()
        return min(float(word) for word in said)
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
