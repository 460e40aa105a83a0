"""Command lines: how a job's runner is started, on one machine or several, in a container or not. Text, nothing runs.

No address stands in any: the first machine is $MASTER_ADDR, which each machine's own environment knows.
"""

from __future__ import annotations

import os
import re
import shlex
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchledger.definitions.folders import shipped_root
from benchledger.errors import UsageError
from benchledger.running.job import Job
from benchledger.running.profiler import compute_capability, profiler_words, runner_words
from benchledger.running.settings import SETTINGS

_PORT = 29500
# These start one process a GPU by themselves; mpirun starts those of the others (Horovod).
_OWN_LAUNCHERS = {
    "pytorch": "torch.distributed.run",
    "paddlepaddle": "paddle.distributed.launch",
    "oneflow": "oneflow.distributed.launch",
}


@dataclass(frozen=True)
class Launch:
    """How runs are started: `python` of the framework's environment, the launcher, and a container's image, if any."""

    python: str
    launcher: str = "local"
    image: str | None = None
    mounts: tuple[Path, ...] = ()
    profiler: str | None = None


def command(job: Job, launch: Launch, data: Path | None, log: Path | None) -> list[str]:
    """The whole command line of a job. Raises UsageError where the launcher cannot do it."""
    before = profiler_words(launch.profiler, log, compute_capability() if launch.profiler else None)
    started = [*before, *_started(job, launch), *runner_arguments(job, data, log), *runner_words(launch.profiler)]
    return [*_spread(job, launch), *(_in_container(job, launch, started) if launch.image else started)]


def around(job: Job, launch: Launch, words: list[str]) -> list[str]:
    """A command that is to run once, where the job runs: in its container, on one of its machines."""
    inside = _in_container(job, launch, words) if launch.image else words
    if launch.launcher != "slurm":
        return inside
    gpus = [] if job.on_cpu else [f"--gpus-per-node={job.gpus // job.nodes}"]
    return ["srun", "--nodes=1", "--ntasks=1", *gpus, *inside]


def shell_text(words: Sequence[str]) -> str:
    """A command line as one types it; $NAMES of the environment stay theirs."""
    return " ".join(word if re.fullmatch(r"[\w@%+=:,./$-]+", word) else shlex.quote(word) for word in words)


def program_of(job: Job) -> str:
    """The file that is run: one of runners/, or one in a checkout that an environment variable names."""
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
    """What the runner is given: its own options, or for another's program what the case's template says."""
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
    """What the runner's environment holds beside that of the shell: threads, GPUs, and nothing kept back of its log."""
    found = {"PYTHONUNBUFFERED": "1", "PYTHONPATH": _python_path(job)}
    if "omp_threads" in job.settings:
        found["OMP_NUM_THREADS"] = str(job.settings["omp_threads"])
    elif job.gpus > 1:
        # torchrun's own default, which it else says in a warning of eight lines.
        found["OMP_NUM_THREADS"] = os.environ.get("OMP_NUM_THREADS", "1")
    if job.on_cpu:
        # Paddle's launcher hands each process one of these, and must find as many.
        none_each = job.case.framework == "paddlepaddle" and job.gpus > 1
        found["CUDA_VISIBLE_DEVICES"] = ",".join(["-1"] * job.gpus) if none_each else ""
    elif "CUDA_VISIBLE_DEVICES" not in os.environ:
        found["CUDA_VISIBLE_DEVICES"] = ",".join(map(str, range(job.gpus // job.nodes)))
    return found


def shared_script(name: str) -> Path:
    """A script of runners/common/, which a case of the user's own folder has, too."""
    return shipped_root() / "runners" / "common" / name


def _tops(job: Job) -> list[str]:
    """The folders that hold a runners/: the case's own, and ours."""
    return list(dict.fromkeys([str(job.case.folder.parent), str(shipped_root())]))


def _python_path(job: Job) -> str:
    mine = os.environ.get("PYTHONPATH")
    return os.pathsep.join([*_tops(job), *([mine] if mine else [])])


def _started(job: Job, launch: Launch) -> list[str]:
    """Python and the program, or the framework's launcher between them.

    "--" ends that one's own options: it would take the runner's --log for the beginning of one of its own.
    """
    program, each = program_of(job), job.gpus // job.nodes
    module = _OWN_LAUNCHERS.get(job.case.framework)
    if job.gpus == 1 or module is None:
        return [launch.python, program]
    if job.case.framework == "paddlepaddle":
        devices = f"--nproc_per_node={each}" if job.on_cpu else f"--devices={','.join(map(str, range(each)))}"
        several = [f"--master=$MASTER_ADDR:{_PORT}", f"--nnodes={job.nodes}"] if job.nodes > 1 else []
        # What the first process prints it passes on; of the others it would make a folder log/ where it is started.
        logs = f"--log_dir={Path(tempfile.gettempdir()) / 'paddle-workers'}"
        return [launch.python, "-m", module, *several, devices, logs, "--", program]
    if job.nodes == 1:
        alone = ["--standalone"] if job.case.framework == "pytorch" else []
        return [launch.python, "-m", module, *alone, f"--nproc_per_node={each}", "--", program]
    if job.case.framework == "oneflow":
        place = [f"--nnodes={job.nodes}", "--node_rank=$NODE_RANK", "--master_addr=$MASTER_ADDR"]
        return [launch.python, "-m", module, *place, f"--nproc_per_node={each}", "--", program]
    # The same on each machine: the first to come at $MASTER_ADDR gives out the ranks.
    place = ["--rdzv_backend=c10d", f"--rdzv_endpoint=$MASTER_ADDR:{_PORT}", f"--rdzv_id={job.name}"]
    return [launch.python, "-m", module, f"--nnodes={job.nodes}", f"--nproc_per_node={each}", *place, "--", program]


def _spread(job: Job, launch: Launch) -> list[str]:
    """The words before it all: mpirun or srun, one task a machine where the framework starts its own processes."""
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
        # The machines stand in a file, whose name the shell knows: no address in the command.
        return ["mpirun", "-np", str(tasks * job.nodes), "--npernode", str(tasks), "--hostfile", "$HOSTFILE", *passed]
    return []


def _in_container(job: Job, launch: Launch, words: list[str]) -> list[str]:
    """In a container that sees the same paths, so that the log lies where it is looked for."""
    folders = dict.fromkeys([*_tops(job), *map(str, launch.mounts)])
    mounts = [word for folder in folders for word in ("-v", f"{folder}:{folder}")]
    passed = [word for name in sorted(environment_of(job)) for word in ("-e", name)]
    if job.nodes > 1:
        passed += ["-e", "MASTER_ADDR"]
    gpus = [] if job.on_cpu else ["--gpus", "all"]
    # --init: the runner gets the signal that ends the container, and the container its exit code.
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
