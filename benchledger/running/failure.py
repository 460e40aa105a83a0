"""Explains why a run failed, from its exit, its signals and the end of its log, with a cure."""

from __future__ import annotations

import shutil
import signal
from dataclasses import dataclass
from pathlib import Path

from benchledger.running.staging import cleaned

_TAIL_BYTES = 64 * 1024
_SHOWN = 200
TIMED_OUT = 124


@dataclass(frozen=True)
class Exit:
    """How a process ended. `signal` ended it; `interrupted`: bench run received the signal and passed it on."""

    exit_code: int
    signal: str | None = None
    timeout_s: float | None = None
    seconds: float = 0.0
    interrupted: bool = False

    @property
    def is_ok(self) -> bool:
        return self.exit_code == 0 and self.signal is None and self.timeout_s is None


@dataclass(frozen=True)
class Failure:
    """`mark` ends the name of the run's folder; `message` and `cure` are for the user."""

    mark: str
    message: str
    cure: str


_DISK = ("disk", "the disk is full", "Free some space, or put the logs on another disk with --staging")
# With less free space than this, one more line may not fit.
_FULL_BYTES = 64 * 1024
# Text in the log, in lower case; the first entry that matches counts. A program that dies of one cause often prints
# others later.
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
    """Returns why the run failed, or None if it did not."""
    if end.is_ok:
        return None
    if _is_full(log):
        # On a full disk the runner's own message is lost too.
        return Failure(*_DISK)
    if end.timeout_s is not None:
        cure = "Give it longer with --timeout, or fewer iterations with --sweep max_iterations=..."
        return Failure("timeout", f"it ran longer than the {end.timeout_s:g} s it was given", cure)
    text = _tail(log)
    tail = text.lower()
    for signs, mark, message, cure in _CAUSES:
        if any(sign in tail for sign in signs):
            return Failure(mark, message, cure)
    if end.signal is None and (told := _own_message(text)):
        return Failure("failed", *told)
    # The launcher saw one of several processes die, and then ended by itself.
    if end.signal == "SIGKILL" or "signal 9 (sigkill) received by pid" in tail:
        cure = "If it was the system, for want of memory (see dmesg), take fewer data workers: --sweep data_workers=1"
        return Failure("killed", "it was killed (SIGKILL)", cure)
    if end.signal is not None:
        return Failure("killed", f"it was ended by {end.signal}", "Run it again: --resume does what is missing")
    last = next((line.strip() for line in reversed(text.splitlines()) if _has_words(line)), "its log is empty")
    return Failure("failed", f"it ended with exit code {end.exit_code}: {last[-_SHOWN:]}", "See the end of its log")


def closing_line(end: Exit, failure: Failure) -> str:
    """Returns the line that is added to the log of a failed run, so that the log alone tells the failure."""
    if end.timeout_s is not None:
        limit = f"time limit of {end.timeout_s:g} s reached"
        return f"bench run: {limit}, ended by {end.signal or 'SIGTERM'} after {end.seconds:.1f} s"
    if end.signal is not None:
        return f"bench run: ended by {end.signal} after {end.seconds:.1f} s"
    return f"bench run: failed: {failure.message}. {failure.cure}"


def signal_name(number: int) -> str:
    """Returns SIGKILL for 9; a number without a name stays a number."""
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


def _own_message(text: str) -> tuple[str, str] | None:
    """Returns the runner's own message and cure, which our runners print."""
    for line in reversed(text.splitlines()):
        message, said, cure = line.partition(". Cure: ")
        if said:
            return message, cure
    return None


def _tail(log: Path) -> str:
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - _TAIL_BYTES))
            # Before it is cut: an error may name a machine, a home folder or a token.
            return cleaned(file.read()).decode("utf-8", "replace")
    except OSError:
        return ""
