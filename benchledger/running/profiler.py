"""Profiled runs: what stands before a runner and behind it, so that it leaves what the ledger reads of a profile."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from benchledger.errors import UsageError
from benchledger.running.job import Job

PROFILERS = ("torch", "ncu")
_OF_PEAK = ".avg.pct_of_peak_sustained_elapsed"
# The pipes of README 003: FMA, FP16, tensor cores (what they issue, and what they are busy), SFU.
_PIPES = (
    "sm__inst_executed_pipe_fma",
    "sm__inst_executed_pipe_fp16",
    "sm__inst_executed_pipe_tensor",
    "sm__pipe_tensor_cycles_active",
    "sm__inst_executed_pipe_xu",
)
# Hopper has no such pipe: what comes nearest.
_FP16, _HOPPER_FP16, _HOPPER = "sm__inst_executed_pipe_fp16", "sm__inst_executed_pipe_fma_type_fp16", 9.0
# ncu runs each kernel several times, at 0.2 s each and a thousand a step: one step, when the first have settled.
_NCU_SETTINGS = {"start_iteration": 4, "stop_iteration": 5, "max_iterations": 5}
_TORCH_SETTINGS = {"start_iteration": 20, "stop_iteration": 30, "max_iterations": 40}


def profiled_job(job: Job, profiler: str, swept: Sequence[str]) -> Job:
    """The job with as few iterations as the profiler needs, where nobody asked for others."""
    name, most = _parted(profiler)
    if name not in PROFILERS or (most and (name != "ncu" or not most.isdecimal())):
        raise UsageError(
            f"no profiler {profiler!r}; known: {', '.join(PROFILERS)}, and ncu:400 for its first 400 kernels"
        )
    if job.case.arguments or job.case.environment != "pytorch":
        raise UsageError(
            f"{job.case.name}: --profile is for runners of ours in PyTorch; put a profiler's words before another's"
        )
    short = _NCU_SETTINGS if name == "ncu" else _TORCH_SETTINGS
    return job.with_settings(**{name: value for name, value in short.items() if name not in swept})


def profiler_words(profiler: str | None, log: Path | None, capability: float | None) -> list[str]:
    """What stands before the runner's Python: ncu, whose CSV lies beside the log. Nothing for torch's own profiler."""
    name, most = _parted(profiler)
    if name != "ncu":
        return []
    pipes = list(_PIPES)
    if capability is None:
        # A metric that the GPU does not have is n/a in its row.
        pipes.append(_HOPPER_FP16)
    elif capability >= _HOPPER:
        pipes[pipes.index(_FP16)] = _HOPPER_FP16
    metrics = ",".join(["gpc__cycles_elapsed.max", *(f"{pipe}{_OF_PEAK}" for pipe in pipes)])
    file = (log or Path("profile.json")).with_suffix(".ncu.csv")
    chosen = ["--csv", "--log-file", str(file), "--target-processes", "all", "--profile-from-start", "off"]
    first = ["--launch-count", most] if most else []
    return ["ncu", *chosen, *first, "--clock-control", "none", "--metrics", metrics]


def runner_words(profiler: str | None) -> list[str]:
    """What the runner is told: to profile itself, or to mark for ncu where the profiled part begins and ends."""
    return [] if profiler is None else ["--profile", "torch" if profiler == "torch" else "cuda"]


def _parted(profiler: str | None) -> tuple[str, str]:
    """Its name, and behind a colon how many kernels it is to look at."""
    name, _, most = (profiler or "").partition(":")
    return name, most


@lru_cache(maxsize=1)
def compute_capability() -> float | None:
    """Of the GPUs here, the least; None where nobody says."""
    words = ["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"]
    try:
        said = subprocess.run(words, capture_output=True, text=True, timeout=20, check=True).stdout.split()
        return min(float(word) for word in said)
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
