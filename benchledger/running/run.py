"""`bench run`: runs jobs one after the other, each in a new process; their logs go to the staging folder."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from benchledger.errors import UsageError
from benchledger.running.case_file import MAX, Value, find_case, load_cases, read_sweep
from benchledger.running.environments import environment_python
from benchledger.running.job import Job, matrix
from benchledger.running.launch import Launch, profiled_job
from benchledger.running.one_run import Outcome, Session, StopRuns, as_frame, data_folder, one_run, typed_command
from benchledger.running.staging import MANIFEST, Staging

if TYPE_CHECKING:
    import polars as pl

# Enough to allocate every buffer, and few enough for a short search.
_PROBE_ITERATIONS = 12


def run_all(
    *cases: str,
    sweep: Sequence[str] = (),
    trials: int = 1,
    staging: Path | str = Path("data/staging"),
    campaign: str | None = None,
    data: Path | str = Path("data/training"),
    python: str | None = None,
    launcher: str = "local",
    image: str | None = None,
    timeout_s: float | None = None,
    resume: bool = False,
    keep_going: bool = False,
    dry_run: bool = False,
    sample_ms: float = 100.0,
    profile: str | None = None,
    progress: Callable[[str], None] | None = None,
) -> list[Outcome]:
    """Runs cases and stages their logs. Returns one outcome per run: status, exit code, seconds, folder, and failure.

    `sweep` holds texts such as "batch_size=32,48,max". Status is ok, planned (dry_run), there (resume), not run, or the
    kind of failure. `sample_ms` 0 disables sampling. `python` defaults to that of the case's environment, else to this
    one. Runs with `profile`, which slows them down, go to a campaign of their own. Raises UsageError for an unknown
    case or setting.
    """
    if not cases:
        raise UsageError("name a case; list cases with: bench run --list")
    if resume and campaign is None:
        raise UsageError("--resume needs the campaign to continue: name it with --campaign")
    if trials < 1:
        raise UsageError(f"trials must be at least 1, not {trials}")
    swept: dict[str, tuple[Value, ...]] = dict(read_sweep(text) for text in sweep)
    jobs = [job for name in cases for job in matrix(find_case(name), swept)]
    if profile is not None:
        jobs = [profiled_job(job, profile, list(swept)) for job in jobs]
    session = Session(
        # A profiled run is slow, so it is not a trial of the campaign.
        Staging(Path(staging), (campaign or f"{datetime.now():%Y-%m-%d}") + ("-profile" if profile else "")),
        Launch(python or "", launcher, image, (Path(staging).absolute().parent, Path(data).absolute()), profile),
        Path(data), trials, timeout_s, resume, keep_going, dry_run, sample_ms, progress or (lambda _text: None),
    )  # fmt: skip
    if not dry_run:
        _need_data(session, jobs)
        for path, owner in session.staging.left_behind():
            session.say(f"{session.staging.adopt(path, owner)}: its bench run was killed, or could not move it here")
    for number, job in enumerate(jobs):
        # Each framework has its own Python, if it was made here.
        mine = python or str(environment_python(job.case.environment) or sys.executable)
        session.launch = replace(session.launch, python=mine)
        try:
            if job.settings["batch_size"] == MAX:
                _search(session, job)
            else:
                _all_trials(session, job)
        except StopRuns:
            session.outcomes += [Outcome(left, None, "not run") for left in jobs[number + 1 :]]
            break
    return session.outcomes


run = as_frame(run_all)


def cases() -> pl.DataFrame:
    """Returns one row per case: its name, kind, framework, number of runs without a sweep, and description."""
    import polars as pl

    rows = [(case.name, case.kind, case.framework, len(matrix(case, {})), case.about) for case in load_cases().values()]
    frame = pl.DataFrame(rows, schema=["case", "kind", "framework", "runs", "about"], orient="row")
    return frame.sort("case")


def _need_data(session: Session, jobs: list[Job]) -> None:
    for job in jobs:
        folder = data_folder(job, session.data)
        if folder is None or folder.exists():
            continue
        length = f" --seq-len {job.settings['seq_len']}" if "seq_len" in job.settings else ""
        cure = f"bench data make {folder.name.partition('_')[0]}{length} --output {folder}"
        raise UsageError(
            f"{folder}: no such folder; {job.case.name} trains on it. Make it with {cure}, "
            f"or name the folder that holds {folder.name} with --data"
        )


def _all_trials(session: Session, job: Job) -> None:
    there = session.staging.trials(job)
    same = [trial for trial, folder in there.items() if _has_command(folder, typed_command(session, job))]
    done = same[: session.trials] if session.resume else []
    for trial in done:
        session.outcomes.append(Outcome(job, trial, "there", folder=there[trial]))
        session.say(f"{job.name} trial {trial}: already done, skipped")
    # Further trials get the next numbers: none is ever overwritten.
    first = max(there, default=0) + 1
    for trial in range(first, first + session.trials - len(done)):
        one_run(session, job, trial)


def _search(session: Session, job: Job) -> None:
    """Finds the largest batch size by short runs, stages those that fail, and runs the largest in full."""
    start = job.case.settings.get("batch_size")
    start = start if isinstance(start, int) else 8
    if session.dry_run:
        session.say(f"{job.name}: from batch_size={start} by doubling, then by bisection, each in a fresh process")
        one_run(session, job.with_settings(batch_size=start), 1)
        return

    def runs(size: int) -> bool:
        short = job.with_settings(batch_size=size, max_iterations=_PROBE_ITERATIONS)
        outcome = one_run(session, short, 1, is_probe=True)
        if outcome.status not in ("ok", "oom"):
            raise StopRuns
        return outcome.status == "ok"

    size, too_large = largest(runs, start)
    session.say(f"{job.name}: the largest batch is {size}; {too_large or 'none'} does not run")
    if size:
        _all_trials(session, job.with_settings(batch_size=size))


def _has_command(folder: Path, command: str) -> bool:
    """Tells whether a staged run was made by this command; with other settings it is another run."""
    try:
        return bool(json.loads((folder / MANIFEST).read_text(encoding="utf-8"))["command"] == command)
    except (OSError, ValueError, KeyError, TypeError):
        return False


# Bisection ends when the result is known to 1/64.
_PARTS = 64
_LIMIT = 1 << 20


def largest(runs: Callable[[int], bool], start: int) -> tuple[int, int | None]:
    """Returns the largest size that runs, to 1/64 of it, and the smallest known to fail; 0 if even 1 fails.

    `runs` is asked at most once per size. The second is None if every size up to a million ran.
    """
    low, high = 0, None
    size = start
    while high is None or (low == 0 and size >= 1):
        if runs(size):
            low = size
            if high is not None or size >= _LIMIT:
                break
            size *= 2
        else:
            high = size
            if low:
                break
            size //= 2
            if size < 1:
                return 0, high
    while high is not None and high - low > max(1, low // _PARTS):
        middle = (low + high) // 2
        if runs(middle):
            low = middle
        else:
            high = middle
    return low, high
