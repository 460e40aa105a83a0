"""The staging folder: a run's logs are written aside and appear together, by one rename, whole or not at all."""

from __future__ import annotations

import contextlib
import json
import os
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchledger.errors import BenchledgerError, UsageError
from benchledger.running.cleaned import clean
from benchledger.running.job import Job

MANIFEST = "run.json"
_NOTE = ".owner.json"
_RESERVE = "reserve"
# What a manifest and the closing line of a log may need on a disk that the run has filled.
_RESERVED_BYTES = 256 * 1024
_TRIAL = re.compile(r"_trial(\d+)$")


class StagingError(BenchledgerError):
    """The staging folder cannot be written."""


@dataclass(frozen=True)
class Aside:
    """A run's folder while it runs; `job_name` names its logs."""

    folder: Path
    job_name: str

    @property
    def log(self) -> Path:
        """What the runner prints."""
        return self.folder / f"{self.job_name}.log"

    @property
    def twin(self) -> Path:
        """The same as JSON, which the runner writes itself."""
        return self.folder / f"{self.job_name}.json"

    @property
    def samples(self) -> Path:
        """What the sampler writes: GPUs."""
        return self.folder / "gpus.csv"

    @property
    def host_samples(self) -> Path:
        """What the sampler writes: CPU and memory."""
        return self.folder / "host.csv"

    @property
    def files(self) -> list[str]:
        """What is there and holds something: logs, samples, profiles."""
        there = [path for path in self.folder.rglob("*") if path.is_file() and path.name not in (MANIFEST, _RESERVE)]
        return sorted(str(path.relative_to(self.folder)) for path in there if path.stat().st_size)

    @property
    def note(self) -> Path:
        """Beside the folder: who runs this, and where it belongs."""
        return self.folder.with_name(f"{self.folder.name}{_NOTE}")


@dataclass(frozen=True)
class Staging:
    """Where a campaign's logs go: ROOT/CAMPAIGN/FRAMEWORK/NLP/MODEL/logs/train_log/NAME_trial1/."""

    root: Path
    campaign: str

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[\w][\w.+-]*", self.campaign):
            raise UsageError(f"the campaign {self.campaign!r} names a folder: use letters, digits, and _ - . + between")

    @property
    def unfinished(self) -> Path:
        """Beside the staging folder, not in it: nobody who reads that sees half a log. On the same disk: one rename."""
        return self.root.with_name(f"{self.root.name}.unfinished")

    def train_log(self, job: Job) -> Path:
        """The folder of a job's runs."""
        return self.root / self.campaign / job.folder

    def trials(self, job: Job) -> dict[int, Path]:
        """The runs of a job that ended well, by trial."""
        found: dict[int, Path] = {}
        for path in self.train_log(job).glob(f"{job.name}_trial*"):
            # Behind the number of one that did not, there stands how it ended.
            if (match := _TRIAL.search(path.name)) and path.name == f"{job.name}{match[0]}":
                found[int(match[1])] = path
        return dict(sorted(found.items()))

    def open(self, job: Job) -> Aside:
        """A folder aside for a run. Raises StagingError if nothing can be written there."""
        try:
            self.unfinished.mkdir(parents=True, exist_ok=True)
            aside = Aside(Path(tempfile.mkdtemp(prefix=f"{job.name}_", dir=self.unfinished)), job.name)
            # Others may read what is staged, as they could any file that is written there.
            aside.folder.chmod(0o777 & ~_umask())
            (aside.folder / _RESERVE).write_bytes(b"\0" * _RESERVED_BYTES)
        except OSError as error:
            raise StagingError(
                f"{self.unfinished}: a run's logs cannot be written here: {error.strerror}. {_cure(error)}"
            ) from error
        return aside

    def publish(self, aside: Aside, job: Job, trial: int, manifest: dict[str, Any], mark: str) -> Path:
        """Writes the manifest and moves the run into the staging folder, cleaned; `mark`: how it failed."""
        (aside.folder / _RESERVE).unlink(missing_ok=True)
        try:
            for log in (aside.log, aside.twin):
                clean(log)
            text = json.dumps({**manifest, "files": aside.files}, indent=2, ensure_ascii=False)
            (aside.folder / MANIFEST).write_text(text + "\n", encoding="utf-8")
            target = _free(self.train_log(job) / (f"{job.name}_trial{trial}" + (f"_{mark}" if mark else "")))
            target.parent.mkdir(parents=True, exist_ok=True)
            aside.folder.rename(target)
            aside.note.unlink(missing_ok=True)
        except OSError as error:
            raise StagingError(
                f"{aside.folder}: the run's logs stay here, and could not be moved to the staging folder: "
                f"{error.strerror}. {_cure(error)}; the next bench run with the same --staging moves them"
            ) from error
        with contextlib.suppress(OSError):
            self.unfinished.rmdir()
        return target

    def left_behind(self) -> Iterator[tuple[Path, dict[str, Any]]]:
        """Folders of runs whose `bench run` is gone, with what it noted of them when it started them."""
        for note in sorted(self.unfinished.glob(f"*{_NOTE}")):
            try:
                owner = json.loads(note.read_text(encoding="utf-8"))
            except (OSError, ValueError):
                continue
            path = note.with_name(note.name.removesuffix(_NOTE))
            if path.is_dir() and not any(_alive(owner.get(name)) for name in ("pid", "runner_pid")):
                yield path, owner

    def adopt(self, path: Path, owner: dict[str, Any]) -> Path:
        """Publishes a run that was left behind, marked: how it ended, its manifest says only if that was written."""
        aside = Aside(path, owner["job"])
        (path / _RESERVE).unlink(missing_ok=True)
        try:
            said = json.loads((path / MANIFEST).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            said = owner["manifest"]
        text = json.dumps({**said, "files": aside.files}, indent=2, ensure_ascii=False)
        (path / MANIFEST).write_text(text + "\n", encoding="utf-8")
        target = _free(Path(f"{owner['target']}_unwatched"))
        target.parent.mkdir(parents=True, exist_ok=True)
        path.rename(target)
        aside.note.unlink(missing_ok=True)
        return target


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _free(wanted: Path) -> Path:
    """The path itself, or with the first number that is free: nothing is ever written over."""
    target, number = wanted, 1
    while target.exists():
        number += 1
        target = Path(f"{wanted}{number}")
    return target


def _alive(pid: object) -> bool:
    if not isinstance(pid, int):
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _cure(error: OSError) -> str:
    import errno

    if error.errno == errno.ENOSPC:
        return "Free some space on this disk, or name another with --staging"
    return "Give yourself the right to write there, or name another folder with --staging"
