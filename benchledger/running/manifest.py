"""Makes a run's manifest (docs/facts.md), with the environment that the machine reports."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from benchledger.definitions.folders import shipped_root
from benchledger.definitions.manifest import KEY, VERSION
from benchledger.running.failure import Exit, Failure
from benchledger.running.job import Job
from benchledger.running.launch import Launch, around, environment_of, program_of, shared_script, shell_text

# The environment variable that states the commit of a copy without git history.
COMMIT = "BENCH_COMMIT"


def manifest(job: Job, launch: Launch, campaign: str, trial: int, command: str, started_at: datetime) -> dict[str, Any]:
    """Returns the manifest at the start of a run; `ended` adds the rest. The command in it contains no address."""
    return {
        KEY: VERSION,
        "run": f"{job.name}, trial {trial}",
        "campaign": campaign,
        "trial": trial,
        "implementation": job.case.implementation,
        "implementation_version": os.environ.get(COMMIT) or commit_of(_home(job)),
        "case": job.facts(),
        "environment": environment(job, launch),
        "command": command,
        "started_at": f"{started_at:%Y-%m-%dT%H:%M:%S.%f}",
    }


def _home(job: Job) -> Path:
    """Returns the folder whose version counts: all of our runners, or the folder of another program."""
    ours, program = shipped_root() / "runners", Path(program_of(job))
    return ours if program.is_relative_to(ours) else program.parent


def ended(begun: dict[str, Any], end: Exit, ended_at: datetime, failure: Failure | None = None) -> dict[str, Any]:
    """Returns the manifest of a finished run."""
    return {
        **begun,
        "ended_at": f"{ended_at:%Y-%m-%dT%H:%M:%S.%f}",
        "exit_code": end.exit_code,
        "signal": end.signal,
        **({"failure": f"{failure.message}. {failure.cure}"} if failure else {}),
    }


def shown_command(job: Job, launch: Launch, words: Sequence[str]) -> str:
    """Returns the command as typed in the folder that contains runners/, without private parent folders."""
    top, here = f"{job.case.folder.parent}{os.sep}", f"{Path.cwd()}{os.sep}"
    ours = f"{shipped_root()}{os.sep}"
    short = [
        word if word == launch.python else word.replace(top, "").replace(ours, "").replace(here, "") for word in words
    ]
    return shell_text([Path(word).name if word == launch.python else word for word in short])


def environment(job: Job, launch: Launch) -> dict[str, Any]:
    """Returns the environment of the runs, as the runner's own Python reports it on one of the machines."""
    asked = around(job, launch, [launch.python, str(shared_script("environment.py")), job.case.framework])
    found = dict(_asked(tuple(asked), tuple(sorted(environment_of(job).items()))))
    if launch.image:
        found["image"] = launch.image
    return found


@lru_cache(maxsize=32)
def _asked(words: tuple[str, ...], env: tuple[tuple[str, str], ...]) -> tuple[tuple[str, Any], ...]:
    # It may also print other JSON than an object.
    with suppress(OSError, subprocess.SubprocessError, ValueError, AttributeError):
        told = subprocess.run(
            [os.path.expandvars(word) for word in words],
            capture_output=True, text=True, timeout=300, check=True, env={**os.environ, **dict(env)},
        )  # fmt: skip
        # Some frameworks print to stdout when they are imported.
        return tuple(json.loads(told.stdout.strip().rpartition("\n")[2]).items())
    print(f"bench run: the environment is not known: {shell_text(words)} said nothing", file=sys.stderr)  # noqa: T201
    return ()


@lru_cache(maxsize=8)
def commit_of(folder: Path) -> str | None:
    """Returns the commit that last changed a folder, marked if it has changed since; None without git."""
    try:
        said = [
            subprocess.run(["git", *words, "--", "."], cwd=folder, capture_output=True, text=True, check=True).stdout
            for words in (["log", "-1", "--format=%h"], ["status", "--porcelain"])
        ]
    except (OSError, subprocess.CalledProcessError):
        return None
    commit, changed = said[0].strip(), said[1].strip()
    # A copy without history has no commit that it could differ from.
    return (f"{commit}-changed" if commit and changed else commit) or None
