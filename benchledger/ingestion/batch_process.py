"""The process that ingests the batches of a watch: it is replaced again and again, so that memory stays flat."""

from __future__ import annotations

import os
import signal
from concurrent.futures import BrokenExecutor, Future, wait
from dataclasses import dataclass, fields
from types import FrameType
from typing import TYPE_CHECKING, Any

from benchledger.errors import DatabaseError
from benchledger.ingestion.discover import FoundFile, found_now
from benchledger.ingestion.ingest import IngestOptions, IngestResult, ingest_with
from benchledger.ingestion.processes import Processes

if TYPE_CHECKING:
    from pathlib import Path

# So many batches one process ingests.
BATCHES = 50
# Seconds that a stop waits for the batch: an ingest ends sooner.
STOP_S = 15.0

# What shows that a file has changed.
State = tuple[int, int, str | None]


@dataclass(frozen=True)
class WatchBatch:
    """What was read together: its result, or the problem of a ledger that cannot be written now; it is tried again."""

    result: IngestResult | None
    problem: str = ""


def state_of(file: FoundFile) -> State:
    return file.size, file.mtime_ns, file.problem


class BatchProcess:
    def __init__(self, options: IngestOptions, paths: tuple[Path | str, ...]) -> None:
        # Functions cannot be sent to another process.
        values = {field.name: getattr(options, field.name) for field in fields(options) if field.name != "files"}
        self._options = {name: value for name, value in values.items() if not callable(value)}
        self._paths = paths
        self._start()

    def _start(self) -> None:
        self._processes = Processes(1, _begin, how="spawn", most_tasks=BATCHES)

    def run(self, files: list[FoundFile]) -> WatchBatch:
        """Ingests the files that have not changed. A stop, as by Ctrl-C, stops the process too, and is raised then."""
        try:
            future = self._processes.submit(_ingest, self._options, self._paths, files)
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
