"""Starts, watches and stages one run of a job; collects the outcomes of runs in a frame."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec

from benchledger.running.failure import Exit, Failure, closing_line, failure_of
from benchledger.running.job import Job
from benchledger.running.launch import Launch, command, environment_of, shared_script, shell_text
from benchledger.running.manifest import ended, manifest, shown_command
from benchledger.running.runner_process import run_process
from benchledger.running.staging import RunFolder, Staging

if TYPE_CHECKING:
    import polars as pl

_SAMPLER_ENDS_S = 5.0
_Asked = ParamSpec("_Asked")
COLUMNS = ("case", "name", "trial", "status", "exit_code", "seconds", "folder", "why", "command")


class StopRuns(Exception):
    """Raised to start no further run. `signal` is the signal that bench run received, if that is the reason."""

    def __init__(self, signal: str | None = None) -> None:
        super().__init__(signal)
        self.signal = signal


@dataclass
class Session:
    """One call of `run`: its settings and the outcomes so far."""

    staging: Staging
    launch: Launch
    data: Path
    trials: int = 1
    timeout_s: float | None = None
    resume: bool = False
    keep_going: bool = False
    dry_run: bool = False
    sample_ms: float = 100.0
    say: Callable[[str], None] = lambda _text: None
    outcomes: list[Outcome] = field(default_factory=list)


def data_folder(job: Job, root: Path) -> Path | None:
    """Returns the folder of a job's training data below `root`; None if it needs none."""
    return root / job.case.data.format(**job.settings) if job.case.data else None


def typed_command(session: Session, job: Job) -> str:
    """Returns the command of a run for the manifest and --dry-run: the log beside it, no folder of this machine."""
    words = command(job, session.launch, data_folder(job, session.data), Path(f"{job.name}.json"))
    return shown_command(job, session.launch, words)


def one_run(session: Session, job: Job, trial: int, *, is_probe: bool = False) -> Outcome:
    """Makes one run. Raises StopRuns if it failed and keep_going is not set, or if a signal came."""
    outcome = _planned(session, job, trial) if session.dry_run else _made(session, job, trial, is_probe)
    session.outcomes.append(outcome)
    if outcome.end is not None and outcome.end.interrupted:
        raise StopRuns(outcome.end.signal)
    if outcome.failure is not None and not session.keep_going and not is_probe:
        raise StopRuns
    return outcome


def _planned(session: Session, job: Job, trial: int) -> Outcome:
    set_before = {name: value for name, value in environment_of(job).items() if name != "PYTHONPATH"}
    before = shell_text([f"{name}={value}" for name, value in {**set_before, "PYTHONPATH": "."}.items()])
    return Outcome(job, trial, "planned", command=f"{before} {typed_command(session, job)}")


def _made(session: Session, job: Job, trial: int, is_probe: bool) -> Outcome:
    begun = manifest(job, session.launch, session.staging.campaign, trial, typed_command(session, job), datetime.now())
    aside = session.staging.open(job)
    words = command(job, session.launch, data_folder(job, session.data), aside.twin.absolute())
    session.say(f"{job.name} trial {trial}: {begun['command']}")
    with _sampler(session, job, aside) as start_sampler:

        def started(pid: int) -> None:
            _note_owner(session, job, trial, aside, begun, pid)
            start_sampler(pid)

        end = run_process(words, aside.log, env=environment_of(job), timeout_s=session.timeout_s, started=started)
    failure = failure_of(end, aside.log)
    if is_probe and failure is None:
        # A dozen iterations are not a trial.
        shutil.rmtree(aside.folder)
        return Outcome(job, None, "ok", end)
    if failure is not None:
        _append(aside.log, closing_line(end, failure))
    mark = failure.mark if failure else ""
    folder = session.staging.publish(aside, job, trial, ended(begun, end, datetime.now(), failure), mark)
    if failure is None:
        session.say(f"{job.name} trial {trial}: ok after {end.seconds:.1f} s: {folder}")
    else:
        session.say(f"{job.name} trial {trial}: {failure.message}. {failure.cure}: {folder}")
    return Outcome(job, trial, mark or "ok", end, folder, failure)


def _note_owner(session: Session, job: Job, trial: int, aside: RunFolder, begun: dict[str, Any], pid: int) -> None:
    """Writes the note that the next bench run needs if this one is killed: the manifest so far, and the target."""
    target = session.staging.train_log(job) / f"{job.name}_trial{trial}"
    owner = {"pid": os.getpid(), "runner_pid": pid, "job": job.name, "target": str(target), "manifest": begun}
    # If the disk is full, the run itself reports it.
    with contextlib.suppress(OSError):
        aside.note.write_text(json.dumps(owner), encoding="utf-8")


@contextlib.contextmanager
def _sampler(session: Session, job: Job, aside: RunFolder) -> Iterator[Callable[[int], None]]:
    """Yields a function that starts the sampler for the runner's process id.

    The sampler sees only this machine, so runs on several machines or under Slurm have none.
    """
    processes: list[subprocess.Popen[str]] = []

    def start(pid: int) -> None:
        if session.sample_ms <= 0 or job.nodes > 1 or session.launch.launcher == "slurm":
            return
        # A container image may lack the sampler's library; outside the container the sampler sees the same GPUs.
        python = sys.executable if session.launch.image else session.launch.python
        words = [python, str(shared_script("sampler.py")), "--pid", str(pid), "--every-ms", str(session.sample_ms)]
        words += ["--gpus-csv", str(aside.samples), "--host-csv", str(aside.host_samples)]
        with contextlib.suppress(OSError):
            env = {**os.environ, **environment_of(job)}
            processes.append(
                subprocess.Popen(words, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=env)
            )

    try:
        yield start
    finally:
        for process in processes:
            process.terminate()
            try:
                said = process.communicate(timeout=_SAMPLER_ENDS_S)[1]
            except subprocess.TimeoutExpired:
                process.kill()
                said = process.communicate()[1]
            if said and not job.on_cpu:
                session.say(said.strip())


def _append(log: Path, line: str) -> None:
    # The disk may be full: the manifest has the same facts.
    with contextlib.suppress(OSError), log.open("rb+") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - 1))
        cut = size > 0 and file.read(1) != b"\n"
        file.write((b"\n" if cut else b"") + line.encode() + b"\n")


@dataclass(frozen=True)
class Outcome:
    """A run, or a run that was not made. `status`: ok, planned, there, not run, or the mark of its failure."""

    job: Job
    trial: int | None
    status: str
    end: Exit | None = None
    folder: Path | None = None
    failure: Failure | None = None
    command: str | None = None


def as_frame(made: Callable[_Asked, list[Outcome]]) -> Callable[_Asked, pl.DataFrame]:
    """Wraps a function so that it returns a frame; the original needs no polars, which training machines may lack."""

    @wraps(made)
    def framed(*args: _Asked.args, **kwargs: _Asked.kwargs) -> pl.DataFrame:
        return frame_of(made(*args, **kwargs))

    return framed


def frame_of(outcomes: Sequence[Outcome]) -> pl.DataFrame:
    import polars as pl

    schema = dict.fromkeys(COLUMNS, pl.String) | {"trial": pl.Int64, "exit_code": pl.Int64, "seconds": pl.Float64}
    return pl.DataFrame([row_of(outcome) for outcome in outcomes], schema=schema, orient="row")


def row_of(outcome: Outcome) -> tuple[object, ...]:
    end, failure = outcome.end, outcome.failure
    return (
        outcome.job.case.name,
        outcome.job.name,
        outcome.trial,
        outcome.status,
        end.exit_code if end else None,
        round(end.seconds, 3) if end else None,
        str(outcome.folder) if outcome.folder else None,
        f"{failure.message}. {failure.cure}" if failure else None,
        outcome.command,
    )
