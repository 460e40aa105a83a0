"""`bench ingest --watch`: reads logs as they come, when they are complete; another process reads each batch.

A new process replaces it after some batches, so that memory stays flat.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, Future, wait
from contextlib import closing
from dataclasses import dataclass, fields
from pathlib import Path
from types import FrameType
from typing import Any

from benchledger.archives.limits import Limits
from benchledger.definitions.manifest import KEY, read_manifest
from benchledger.errors import DatabaseError, UsageError, missing_extra
from benchledger.ingestion.discover import FoundFile, discover, found_now
from benchledger.ingestion.ingest import IngestOptions, IngestResult, ingest_with
from benchledger.ingestion.remote import is_remote
from benchledger.ingestion.worker_processes import Processes
from benchledger.store.copies import ledger_files
from benchledger.store.default_db import DEFAULT_DB
from benchledger.store.key_file import read_key_file

# Seconds between two looks at the folders where nothing was told to have changed: network file systems tell nothing.
LOOK_AGAIN_S = 60.0
# Seconds until a batch is tried again that could not be written.
TRY_AGAIN_S = 30.0
# A look at many files, or a batch, takes at most this share of the time.
LOOKING, WRITING = 0.1, 0.5
# A larger file is no manifest.
_MOST_BYTES = 1024 * 1024
# So many batches one process ingests.
BATCHES = 50
# Seconds that a stop waits for the batch: an ingest ends sooner.
STOP_S = 15.0
# What shows that a file has changed.
State = tuple[int, int, str | None]


def watch(
    *paths: Path | str,
    db: Path | str = DEFAULT_DB,
    quiet_s: float = 30.0,
    jobs: int = 1,
    documents: bool = False,
    keep_logs: bool = False,
    keep_redacted: bool = False,
    campaign_name: str | None = None,
    key_file: Path | str | None = None,
    wait_s: float = 30.0,
    limits: Limits | None = None,
) -> Iterator[WatchBatch]:
    """Reads logs under the paths into the ledger as they come, for ever; yields each batch that was written.

    A file is read when it has not changed for `quiet_s` seconds, or when a manifest that lists it is there. The ledger
    is open only while a batch is written. A path that is removed is read again when it is back. Everything else is as
    in `ingest`. Raises UsageError for an address, and if watchfiles is not installed.
    """
    if remote := [path for path in paths if is_remote(str(path))]:
        raise UsageError(f"{remote[0]}: only folders of this machine can be watched; ingest it by a timer instead")
    key = read_key_file(Path(key_file)) if key_file is not None else None
    options = IngestOptions(
        Path(db), jobs, campaign_name=campaign_name, key=key, wait_s=wait_s, limits=limits or Limits(),
        documents=documents, keep_logs=keep_logs, keep_redacted=keep_redacted,
    )  # fmt: skip
    arrivals = Arrivals(ledger_files(options.db), quiet_s)
    there = paths
    with closing(BatchProcess(options)) as process:
        while True:
            try:
                yield from _batches(arrivals, process, there, [path for path in paths if path not in there], quiet_s)
            except UsageError:
                gone = [path for path in there if not os.path.lexists(path)]
                if arrivals.is_first or not gone:
                    raise
                for path in gone:
                    yield WatchBatch(None, f"{path}: was removed, or is not mounted; it is read again when it is back")
            while not (there := tuple(path for path in paths if os.path.lexists(path))):
                time.sleep(min(1.0, quiet_s))


def _batches(
    arrivals: Arrivals, process: BatchProcess, paths: tuple[Path | str, ...], gone: list[Path | str], quiet_s: float
) -> Iterator[WatchBatch]:
    """Yields batches of the paths until one of the others, which are gone, is back."""
    not_before, look_at, has_changed = 0.0, 0.0, True
    for changes in _wakes(paths, min(1.0, quiet_s / 4)):
        if any(map(os.path.lexists, gone)):
            return
        has_changed |= changes
        now = time.monotonic()
        if now < not_before or not (has_changed or now >= min(look_at, arrivals.due)):
            continue
        has_changed, look_at = False, now + LOOK_AGAIN_S
        ready = arrivals.look(paths)
        looked = time.monotonic()
        not_before = looked + (looked - now) / LOOKING
        if not ready:
            continue
        batch = process.run(paths, list(({file.place: file for file in arrivals.facts} | ready).values()))
        if batch.result is not None:
            arrivals.take(ready)
            not_before = max(not_before, looked + (time.monotonic() - looked) / WRITING)
        else:
            not_before, has_changed = time.monotonic() + TRY_AGAIN_S, True
        yield batch


class Arrivals:
    """The files under some paths that were not read yet, and since when each is as it is."""

    def __init__(self, leave_out: set[str], quiet_s: float) -> None:
        self._leave_out, self._quiet_s = leave_out, quiet_s
        self._waiting: dict[str, tuple[FoundFile, float]] = {}
        # A hash of the state of each file that was read: few bytes for each of very many files.
        self._taken: dict[str, int] = {}
        self._listed: dict[str, tuple[State, frozenset[str]]] = {}
        self.is_first = True
        # Each facts.toml: it holds for files that come later.
        self.facts: list[FoundFile] = []
        # When the next file will have been quiet for long enough.
        self.due = 0.0

    def look(self, paths: tuple[Path | str, ...]) -> dict[str, FoundFile]:
        """Returns the files under the paths that are complete and were not read in this state."""
        now, today = time.monotonic(), time.time()
        waiting: dict[str, tuple[FoundFile, float]] = {}
        taken: dict[str, int] = {}
        self.facts = []
        for file in discover(paths, self._leave_out):
            if file.is_facts:
                self.facts.append(file)
            state = state_of(file)
            if self._taken.get(file.place) == hash(state):
                taken[file.place] = hash(state)
                continue
            before = self._waiting.get(file.place)
            since = before[1] if before is not None and state_of(before[0]) == state else now
            if self.is_first:
                # Nobody watched it so far.
                since -= max(today - file.mtime_ns / 1e9, 0.0)
            waiting[file.place] = (file, since)
        self._waiting, self._taken, self.is_first = waiting, taken, False
        listed = self._listed_by_manifests()
        ready = {
            place: file for place, (file, since) in waiting.items() if now - since >= self._quiet_s or place in listed
        }
        others = (since for place, (_, since) in waiting.items() if place not in ready)
        self.due = min(others, default=float("inf")) + self._quiet_s
        return ready

    def take(self, ready: dict[str, FoundFile]) -> None:
        """Marks files as read. One that is gone by now, or has changed, is read when it is quiet again."""
        for place, file in ready.items():
            self._waiting.pop(place, None)
            if state_of(found_now(file)) == state_of(file):
                self._taken[place] = hash(state_of(file))

    def _listed_by_manifests(self) -> set[str]:
        """The places that manifests among the waiting files list, and those of the manifests."""
        there = {place: state_of(file) for place, (file, _) in self._waiting.items() if place.lower().endswith(".json")}
        self._listed = {
            place: known if (known := self._listed.get(place)) is not None and known[0] == state
            else (state, _listed_in(place, state))
            for place, state in there.items()
        }  # fmt: skip
        return {listed for _, places in self._listed.values() for listed in places}


def _listed_in(place: str, state: State) -> frozenset[str]:
    try:
        text = Path(place).read_text(encoding="utf-8") if state[0] <= _MOST_BYTES else ""
    except (OSError, UnicodeDecodeError):
        return frozenset()
    manifest = read_manifest(text) if KEY in text else None
    if manifest is None or manifest.problems:
        # Perhaps it is half written.
        return frozenset()
    folder = os.path.dirname(place)
    return frozenset({place, *(os.path.normpath(os.path.join(folder, name)) for name in manifest.files)})


def _wakes(paths: tuple[Path | str, ...], seconds: float) -> Iterator[bool]:
    """Yields whether something has changed under the paths, again and again after some `seconds`."""
    try:
        from watchfiles import watch as changes_in
    except ImportError as error:
        raise missing_extra("--watch needs watchfiles", error, "watch") from error
    try:
        for changes in changes_in(
            *paths, watch_filter=None, debounce=int(1000 * seconds), rust_timeout=int(1000 * seconds),
            yield_on_timeout=True, raise_interrupt=True,
        ):  # fmt: skip
            yield bool(changes)
    except (OSError, RuntimeError):
        # The system watches no more folders (fs.inotify.max_user_watches): they are looked at, again and again.
        while True:
            time.sleep(seconds)
            yield True


@dataclass(frozen=True)
class WatchBatch:
    """What was read together: its result, or why it waits: the ledger cannot be written, or a path is gone."""

    result: IngestResult | None
    problem: str = ""


def state_of(file: FoundFile) -> State:
    return file.size, file.mtime_ns, file.problem


class BatchProcess:
    def __init__(self, options: IngestOptions) -> None:
        # Functions cannot be sent to another process.
        values = {field.name: getattr(options, field.name) for field in fields(options) if field.name != "files"}
        self._options = {name: value for name, value in values.items() if not callable(value)}
        self._start()

    def _start(self) -> None:
        self._processes = Processes(1, _begin, how="spawn", most_tasks=BATCHES)

    def run(self, paths: tuple[Path | str, ...], files: list[FoundFile]) -> WatchBatch:
        """Ingests the files that have not changed. A stop, as by Ctrl-C, stops the process too, and is raised then."""
        try:
            future = self._processes.submit(_ingest, self._options, paths, files)
            try:
                return self._processes.result(future, lambda: None)
            except KeyboardInterrupt:
                self._stop(future)
                raise
        except BrokenExecutor:
            self.close()
            self._start()
            return WatchBatch(None, "the process that read it was killed, perhaps because memory ran out")

    def _stop(self, future: Future[WatchBatch]) -> None:
        for pid in list(self._processes.executor._processes):
            os.kill(pid, signal.SIGTERM)
        wait([future], STOP_S)

    def close(self) -> None:
        self._processes.close()


class _Stop:
    # Whether a batch is being read, and whether it was told to stop.
    is_busy = is_told = False


def _begin() -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _on_signal)


def _on_signal(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - a signal handler gets them
    if not _Stop.is_busy:
        os._exit(0)
    if not _Stop.is_told:
        # Both the terminal and the parent may send one.
        _Stop.is_told = True
        raise KeyboardInterrupt


def _ingest(options: dict[str, Any], paths: tuple[Path | str, ...], files: list[FoundFile]) -> WatchBatch:
    _Stop.is_busy = True
    try:
        there = [(file, found_now(file)) for file in files]
        # A facts.toml that is left out would count as deleted.
        same = [now for file, now in there if now.is_facts or state_of(now) == state_of(file)]
        return WatchBatch(ingest_with(IngestOptions(**options, files=same), *paths))
    except DatabaseError as error:
        return WatchBatch(None, str(error))
    finally:
        _Stop.is_busy = False
