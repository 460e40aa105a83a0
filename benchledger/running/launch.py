"""Makes command lines: how a job's runner is started, on one machine or several, in a container or not.

It only makes text and runs nothing. No command contains an address: the first machine is $MASTER_ADDR, which the
environment of each machine defines.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from benchledger.definitions.folders import shipped_root
from benchledger.errors import UsageError
from benchledger.running.case_file import SETTINGS
from benchledger.running.job import Job

_PORT = 29500
# Launchers that start one process per GPU. Other frameworks (Horovod) use mpirun.
_OWN_LAUNCHERS = {
    "pytorch": "torch.distributed.run",
    "paddlepaddle": "paddle.distributed.launch",
    "oneflow": "oneflow.distributed.launch",
}
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


@dataclass(frozen=True)
class Launch:
    """How runs are started: `python` of the framework's environment, the launcher, and a container image, if any."""

    python: str
    launcher: str = "local"
    image: str | None = None
    mounts: tuple[Path, ...] = ()
    profiler: str | None = None


def command(job: Job, launch: Launch, data: Path | None, log: Path | None) -> list[str]:
    before = profiler_words(launch.profiler, log, compute_capability() if launch.profiler else None)
    started = [*before, *_started(job, launch), *runner_arguments(job, data, log), *runner_words(launch.profiler)]
    return [*_spread(job, launch), *(_in_container(job, launch, started) if launch.image else started)]


def around(job: Job, launch: Launch, words: list[str]) -> list[str]:
    """Returns a command that runs once where the job runs: in its container, on one of its machines."""
    inside = _in_container(job, launch, words) if launch.image else words
    if launch.launcher != "slurm":
        return inside
    gpus = [] if job.on_cpu else [f"--gpus-per-node={job.gpus // job.nodes}"]
    return ["srun", "--nodes=1", "--ntasks=1", *gpus, *inside]


def shell_text(words: Sequence[str]) -> str:
    """Returns a command line as typed in a shell; $NAMES of the environment are not quoted."""
    return " ".join(word if re.fullmatch(r"[\w@%+=:,./$-]+", word) else shlex.quote(word) for word in words)


def program_of(job: Job) -> str:
    """Returns the program's file: in runners/, or in a checkout that an environment variable names."""
    program = job.case.program
    if not program.startswith("$"):
        own = job.case.folder / program
        return str(own if own.exists() else shipped_root() / "runners" / program)
    name, _, rest = program[1:].partition("/")
    folder = os.environ.get(name)
    if not folder:
        raise UsageError(f"{job.case.name}: ${name} is not set; set it to the checkout that holds {rest}")
    return str(Path(folder) / rest)


def runner_arguments(job: Job, data: Path | None, log: Path | None) -> list[str]:
    """Returns the runner's arguments: its own options, or for another's program those of the case's template."""
    values = {name: str(value) for name, value in job.settings.items()}
    values |= {"data": str(data), "log": str(log), "global_batch_size": str(_global_batch_size(job))}
    words: list[str] = []
    if job.case.arguments:
        words = [_filled(job, word, values) for word in job.case.arguments]
    else:
        for name, value in job.settings.items():
            if SETTINGS[name].launched or value is False:
                continue
            words += [f"--{name.replace('_', '-')}", *([] if value is True else [str(value)])]
        words += ["--data", str(data)] if data else []
        words += ["--log", str(log)] if log else []
    for name, value in job.settings.items():
        word = str(value).lower() if isinstance(value, bool) else str(value)
        words += [_filled(job, one, values) for one in job.case.when.get(f"{name}.{word}", ())]
    return words


def environment_of(job: Job) -> dict[str, str]:
    """Returns the environment variables added for the runner: threads, GPUs, and unbuffered output."""
    found = {"PYTHONUNBUFFERED": "1", "PYTHONPATH": _python_path(job)}
    if "omp_threads" in job.settings:
        found["OMP_NUM_THREADS"] = str(job.settings["omp_threads"])
    elif job.gpus > 1:
        # torchrun's own default, set here because torchrun otherwise prints a warning of eight lines.
        found["OMP_NUM_THREADS"] = os.environ.get("OMP_NUM_THREADS", "1")
    if job.on_cpu:
        # Paddle's launcher gives each process one device of this list, so it must have as many entries as processes.
        none_each = job.case.framework == "paddlepaddle" and job.gpus > 1
        found["CUDA_VISIBLE_DEVICES"] = ",".join(["-1"] * job.gpus) if none_each else ""
    elif "CUDA_VISIBLE_DEVICES" not in os.environ:
        found["CUDA_VISIBLE_DEVICES"] = ",".join(map(str, range(job.gpus // job.nodes)))
    return found


def shared_script(name: str) -> Path:
    """Returns a script of runners/common/, which cases in the user's own folder use too."""
    return shipped_root() / "runners" / "common" / name


def _tops(job: Job) -> list[str]:
    """Returns the folders that contain a runners/ folder: the case's own, and the shipped one."""
    return list(dict.fromkeys([str(job.case.folder.parent), str(shipped_root())]))


def _python_path(job: Job) -> str:
    mine = os.environ.get("PYTHONPATH")
    return os.pathsep.join([*_tops(job), *([mine] if mine else [])])


def _started(job: Job, launch: Launch) -> list[str]:
    """Returns Python and the program, with the framework's launcher between them if there are several processes.

    "--" ends the launcher's options: it would take the runner's --log for an abbreviation of its own.
    """
    program, each = program_of(job), job.gpus // job.nodes
    module = _OWN_LAUNCHERS.get(job.case.framework)
    if job.gpus == 1 or module is None:
        return [launch.python, program]
    if job.case.framework == "paddlepaddle":
        devices = f"--nproc_per_node={each}" if job.on_cpu else f"--devices={','.join(map(str, range(each)))}"
        several = [f"--master=$MASTER_ADDR:{_PORT}", f"--nnodes={job.nodes}"] if job.nodes > 1 else []
        # The launcher prints the output of the first process. Those of the others would go to a folder log/ in the
        # current folder.
        logs = f"--log_dir={Path(tempfile.gettempdir()) / 'paddle-workers'}"
        return [launch.python, "-m", module, *several, devices, logs, "--", program]
    if job.nodes == 1:
        alone = ["--standalone"] if job.case.framework == "pytorch" else []
        return [launch.python, "-m", module, *alone, f"--nproc_per_node={each}", "--", program]
    if job.case.framework == "oneflow":
        place = [f"--nnodes={job.nodes}", "--node_rank=$NODE_RANK", "--master_addr=$MASTER_ADDR"]
        return [launch.python, "-m", module, *place, f"--nproc_per_node={each}", "--", program]
    # The same command on each machine: the rendezvous at $MASTER_ADDR assigns the ranks.
    place = ["--rdzv_backend=c10d", f"--rdzv_endpoint=$MASTER_ADDR:{_PORT}", f"--rdzv_id={job.name}"]
    return [launch.python, "-m", module, f"--nnodes={job.nodes}", f"--nproc_per_node={each}", *place, "--", program]


def _spread(job: Job, launch: Launch) -> list[str]:
    """Returns the words before the command: mpirun or srun.

    One task per machine if the framework starts its own processes.
    """
    own = job.case.framework in _OWN_LAUNCHERS or job.case.one_process
    each = job.gpus // job.nodes
    tasks = 1 if own else each
    if job.case.one_process and (job.nodes > 1 or (job.on_cpu and job.gpus > 1)):
        raise UsageError(f"{job.case.name}: its program is one process, which trains on the GPUs of one machine")
    if launch.launcher == "slurm":
        words = ["srun", f"--nodes={job.nodes}", f"--ntasks-per-node={tasks}"]
        return [*words, *([] if job.on_cpu else [f"--gpus-per-node={each}"]), "--kill-on-bad-exit=1"]
    if launch.launcher == "mpirun" or (not own and job.gpus > 1):
        if job.nodes == 1:
            return ["mpirun", "-np", str(tasks)]
        passed = [word for name in ("MASTER_ADDR", "PYTHONPATH", "OMP_NUM_THREADS") for word in ("-x", name)]
        # The machines are listed in a file that a shell variable names, so that the command contains no address.
        return ["mpirun", "-np", str(tasks * job.nodes), "--npernode", str(tasks), "--hostfile", "$HOSTFILE", *passed]
    return []


def _in_container(job: Job, launch: Launch, words: list[str]) -> list[str]:
    """Returns the command within a container that mounts the same paths, so that the log is where bench expects it."""
    folders = dict.fromkeys([*_tops(job), *map(str, launch.mounts)])
    mounts = [word for folder in folders for word in ("-v", f"{folder}:{folder}")]
    passed = [word for name in sorted(environment_of(job)) for word in ("-e", name)]
    if job.nodes > 1:
        passed += ["-e", "MASTER_ADDR"]
    gpus = [] if job.on_cpu else ["--gpus", "all"]
    # --init: the runner gets the signal that ends the container, and the container returns the runner's exit code.
    start = ["docker", "run", "--rm", "--init", *gpus, "--ipc=host", "--net=host"]
    return [*start, *mounts, *passed, str(launch.image), *words]


def _global_batch_size(job: Job) -> int | str:
    batch = job.settings["batch_size"]
    return batch * job.gpus * int(job.settings.get("gradient_accumulation", 1)) if isinstance(batch, int) else batch  # type: ignore[return-value]


def _filled(job: Job, word: str, values: dict[str, str]) -> str:
    try:
        return word.format(**values)
    except (KeyError, IndexError, ValueError) as error:
        raise UsageError(
            f"{job.case.name}: the argument {word!r} names a setting that the case lacks: {error}"
        ) from error


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
