"""Why a run ended as it did: from its exit, the signals it got and the end of its log; each with a cure."""

from __future__ import annotations

import shutil
import signal
from dataclasses import dataclass
from pathlib import Path

_TAIL_BYTES = 64 * 1024
_SHOWN = 200
TIMED_OUT = 124


@dataclass(frozen=True)
class Exit:
    """How a process ended. `signal` names what ended it; `interrupted`: it came for bench run and was passed on."""

    exit_code: int
    signal: str | None = None
    timeout_s: float | None = None
    seconds: float = 0.0
    interrupted: bool = False

    @property
    def is_ok(self) -> bool:
        """Whether it ended by itself with exit code 0."""
        return self.exit_code == 0 and self.signal is None and self.timeout_s is None


@dataclass(frozen=True)
class Failure:
    """`mark` is the word at the end of the folder's name; message and cure are for the user."""

    mark: str
    message: str
    cure: str


_DISK = ("disk", "the disk is full", "Free some space, or put the logs on another disk with --staging")
# Less than this, and a line more may not find its place.
_FULL_BYTES = 64 * 1024
# What stands in the log, in lower case, the first that does; a program that dies of one thing often says others later.
_CAUSES = (
    (("outofmemoryerror", "cuda out of memory", "cuda error: out of memory", "oom when allocating",
      "out of memory error on gpu", "cublas_status_alloc_failed"),
     "oom", "the GPU ran out of memory",
     "Take a smaller batch, more gradient accumulation, or let bench run find the largest: --sweep batch_size=max"),
    (("err_nvgpuctrperm",),
     "counters", "this user may not read the GPU's counters",
     "Run as root, or set the driver's NVreg_RestrictProfilingToAdminUsers=0; in a container --cap-add=SYS_ADMIN"),
    (("no space left on device", "errno 28"), *_DISK),
    (("no cuda gpus are available", "torch not compiled with cuda", "found no nvidia driver", "invalid device ordinal",
      "finds no gpu", "cuda unknown error", "cuda driver initialization failed"),
     "gpu", "a GPU is missing",
     "Look at nvidia-smi and CUDA_VISIBLE_DEVICES, take fewer with --gpus, or rehearse with --sweep device=cpu"),
    (("unable to open file", "file signature not found", "unable to synchronously open", "is no hdf5",
      "is no shard of", "no *.hdf5 in"),
     "data", "the training data cannot be read",
     "Make it again with bench data make, and name its folder with --data"),
    (("filenotfounderror", "cannot be started:"),
     "missing", "a file or a program is missing",
     "See the end of the log for its name; bench data make makes training data"),
    (("modulenotfounderror", "no module named"),
     "environment", "the environment lacks a library",
     "Name the framework's own Python with --python; runners/environments/ lists what each needs"),
)  # fmt: skip


def failure_of(end: Exit, log: Path) -> Failure | None:
    """Why the run failed, or None if it did not."""
    if end.is_ok:
        return None
    if _is_full(log):
        # Then what the runner said of it could not be written either.
        return Failure(*_DISK)
    if end.timeout_s is not None:
        cure = "Give it longer with --timeout, or fewer iterations with --sweep max_iterations=..."
        return Failure("timeout", f"it ran longer than the {end.timeout_s:g} s it was given", cure)
    text = _tail(log)
    tail = text.lower()
    for signs, mark, message, cure in _CAUSES:
        if any(sign in tail for sign in signs):
            return Failure(mark, message, cure)
    if end.signal is None and (told := _told(text)):
        return Failure("failed", *told)
    # Of several processes one; the launcher that saw it ends by itself.
    if end.signal == "SIGKILL" or "signal 9 (sigkill) received by pid" in tail:
        cure = "If it was the system, for want of memory (see dmesg), take fewer data workers: --sweep data_workers=1"
        return Failure("killed", "it was killed (SIGKILL)", cure)
    if end.signal is not None:
        return Failure("killed", f"it was ended by {end.signal}", "Run it again: --resume does what is missing")
    last = next((line.strip() for line in reversed(text.splitlines()) if _has_words(line)), "its log is empty")
    return Failure("failed", f"it ended with exit code {end.exit_code}: {last[-_SHOWN:]}", "See the end of its log")


def closing_line(end: Exit, failure: Failure) -> str:
    """What is added to the log of a run that failed, so that the log alone says it."""
    if end.timeout_s is not None:
        limit = f"time limit of {end.timeout_s:g} s reached"
        return f"bench run: {limit}, ended by {end.signal or 'SIGTERM'} after {end.seconds:.1f} s"
    if end.signal is not None:
        return f"bench run: ended by {end.signal} after {end.seconds:.1f} s"
    return f"bench run: failed: {failure.message}. {failure.cure}"


def signal_name(number: int) -> str:
    """SIGKILL for 9; a number that has no name as itself."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


def _is_full(log: Path) -> bool:
    try:
        return shutil.disk_usage(log.parent).free < _FULL_BYTES
    except OSError:
        return False


def _has_words(line: str) -> bool:
    return any(letter.isalpha() for letter in line)


def _told(text: str) -> tuple[str, str] | None:
    """What the runner itself says is wrong, and its cure; our runners do."""
    for line in reversed(text.splitlines()):
        message, said, cure = line.partition(". Cure: ")
        if said:
            return message, cure
    return None


def _tail(log: Path) -> str:
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - _TAIL_BYTES))
            return file.read().decode("utf-8", "replace")
    except OSError:
        return ""
