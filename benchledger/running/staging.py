"""The staging folder: a run's logs are written aside and moved into it by one rename, completely or not at all."""

from __future__ import annotations

import contextlib
import json
import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from benchledger.errors import BenchledgerError, UsageError
from benchledger.redaction.line_redactor import LineRedactor
from benchledger.redaction.redactor import Redactor
from benchledger.redaction.samples import known_redaction
from benchledger.running.job import Job
from benchledger.store.scratch import is_running

MANIFEST = "run.json"
_NOTE = ".owner.json"
_RESERVE = "reserve"
# Space for the manifest and the log's closing line on a disk that the run has filled.
_RESERVED_BYTES = 256 * 1024
_TRIAL = re.compile(r"_trial(\d+)$")
_KEY_BYTES = 32


class StagingError(BenchledgerError):
    """Raised if the staging folder cannot be written."""


@dataclass(frozen=True)
class RunFolder:
    """A run's folder while it runs; `job_name` names its logs."""

    folder: Path
    job_name: str

    @property
    def log(self) -> Path:
        return self.folder / f"{self.job_name}.log"

    @property
    def twin(self) -> Path:
        """The same log as JSON, which the runner writes itself."""
        return self.folder / f"{self.job_name}.json"

    @property
    def samples(self) -> Path:
        return self.folder / "gpus.csv"

    @property
    def host_samples(self) -> Path:
        return self.folder / "host.csv"

    @property
    def files(self) -> list[str]:
        """The non-empty files in the folder: logs, samples, profiles."""
        there = [path for path in self.folder.rglob("*") if path.is_file() and path.name not in (MANIFEST, _RESERVE)]
        return sorted(str(path.relative_to(self.folder)) for path in there if path.stat().st_size)

    @property
    def note(self) -> Path:
        """The file beside the folder that states the processes of the run and its target folder."""
        return self.folder.with_name(f"{self.folder.name}{_NOTE}")


@dataclass(frozen=True)
class Staging:
    """The folder of a campaign's logs: ROOT/CAMPAIGN/FRAMEWORK/NLP/MODEL/logs/train_log/NAME_trial1/."""

    root: Path
    campaign: str

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[\w][\w.+-]*", self.campaign):
            raise UsageError(
                f"the campaign {self.campaign!r} becomes a folder name: use letters, digits, and _ - . + between them"
            )

    @property
    def unfinished(self) -> Path:
        """The folder of runs in progress, beside the staging folder, so that no reader of that sees half a log.

        It is on the same disk, so that one rename moves a run.
        """
        return self.root.with_name(f"{self.root.name}.unfinished")

    def train_log(self, job: Job) -> Path:
        return self.root / self.campaign / job.folder

    def trials(self, job: Job) -> dict[int, Path]:
        """Returns the successful runs of a job, by trial."""
        found: dict[int, Path] = {}
        for path in self.train_log(job).glob(f"{job.name}_trial*"):
            # The folder of a failed run has its failure mark behind the number.
            if (match := _TRIAL.search(path.name)) and path.name == f"{job.name}{match[0]}":
                found[int(match[1])] = path
        return dict(sorted(found.items()))

    def open(self, job: Job) -> RunFolder:
        """Creates the folder of a run in progress. Raises StagingError if it cannot be written."""
        try:
            self.unfinished.mkdir(parents=True, exist_ok=True)
            aside = RunFolder(self.unfinished / f"{job.name}_{secrets.token_hex(4)}", job.name)
            aside.folder.mkdir()
            (aside.folder / _RESERVE).write_bytes(b"\0" * _RESERVED_BYTES)
        except OSError as error:
            raise StagingError(
                f"{self.unfinished}: a run's logs cannot be written here: {error.strerror}. {_cure(error)}"
            ) from error
        return aside

    def publish(self, aside: RunFolder, job: Job, trial: int, manifest: dict[str, Any], mark: str) -> Path:
        """Writes the manifest, redacts the logs, and moves the run into the staging folder. `mark`: how it failed."""
        (aside.folder / _RESERVE).unlink(missing_ok=True)
        try:
            name = f"{job.name}_trial{trial}" + (f"_{mark}" if mark else "")
            target = _moved(aside, manifest, self.train_log(job) / name)
        except OSError as error:
            raise StagingError(
                f"{aside.folder}: the run's logs stay here, and could not be moved to the staging folder: "
                f"{error.strerror}. {_cure(error)}; the next bench run with the same --staging moves them"
            ) from error
        with contextlib.suppress(OSError):
            self.unfinished.rmdir()
        return target

    def left_behind(self) -> Iterator[tuple[Path, dict[str, Any]]]:
        """Yields the folders of runs whose `bench run` is gone, with the note that it wrote at their start."""
        for note in sorted(self.unfinished.glob(f"*{_NOTE}")):
            try:
                owner = json.loads(note.read_text(encoding="utf-8"))
            except (OSError, ValueError):
                continue
            path = note.with_name(note.name.removesuffix(_NOTE))
            if path.is_dir() and not any(
                isinstance(pid := owner.get(name), int) and is_running(pid) for name in ("pid", "runner_pid")
            ):
                yield path, owner

    def adopt(self, path: Path, owner: dict[str, Any]) -> Path:
        """Publishes a run that was left behind, marked unwatched.

        Its manifest states the end only if that was written.
        """
        aside = RunFolder(path, owner["job"])
        (path / _RESERVE).unlink(missing_ok=True)
        try:
            said = json.loads((path / MANIFEST).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            said = owner["manifest"]
        return _moved(aside, said, Path(f"{owner['target']}_unwatched"))


def _moved(aside: RunFolder, manifest: dict[str, Any], wanted: Path) -> Path:
    for log in (aside.log, aside.twin):
        _clean(log)
    text = json.dumps({**manifest, "files": aside.files}, indent=2, ensure_ascii=False)
    (aside.folder / MANIFEST).write_text(text + "\n", encoding="utf-8")
    target = _free(wanted)
    target.parent.mkdir(parents=True, exist_ok=True)
    aside.folder.rename(target)
    aside.note.unlink(missing_ok=True)
    return target


def _free(wanted: Path) -> Path:
    """Returns the path, with the first free number if it exists: nothing is ever overwritten."""
    target, number = wanted, 1
    while target.exists():
        number += 1
        target = Path(f"{wanted}{number}")
    return target


def _cure(error: OSError) -> str:
    import errno

    if error.errno == errno.ENOSPC:
        return "Free some space on this disk, or name another with --staging"
    return "Give yourself the right to write there, or name another folder with --staging"


def cleaned(content: bytes) -> bytes:
    """Returns lines of a log without private text, as `bench redact` writes them, with a key that is not kept."""
    return LineRedactor(_redactor()).redact(content)


def _clean(log: Path) -> None:
    # The program may have put a pipe or a link in its place.
    if log.is_symlink() or not log.is_file():
        return
    content = log.read_bytes()
    # Replaced completely or not at all; a full disk or a kill may have left a part.
    aside = log.with_name(f"{log.name}.cleaned")
    try:
        if (clean := cleaned(content)) != content:
            aside.write_bytes(clean)
            aside.replace(log)
    finally:
        aside.unlink(missing_ok=True)


@cache
def _redactor() -> Redactor:
    return Redactor(known_redaction(), secrets.token_bytes(_KEY_BYTES))
