"""Reads archives in another process, which sends what it has read part by part."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from benchledger.ingestion import read
from benchledger.ingestion.discover import FoundFile
from benchledger.ingestion.members import ArchiveToRead, ReadMembers, read_members
from benchledger.ingestion.transfer import send_file
from benchledger.ingestion.units import ReadFiles
from benchledger.ingestion.worker_processes import Processes

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

# Parts that a process may be ahead, besides those that its helpers read.
AHEAD = 4
# Seconds between two reports of progress, and between two checks whether the worker still runs.
PROGRESS_S = 0.1
# Seconds between two checks whether the worker has started.
_START_S = 0.01


class ArchiveWorker:
    """Some archives, which a process begins to read as soon as it is free.

    It passes small members to `helpers` other processes, and reads them itself while these are busy. `singly`: it
    announces each member before it reads it, and each member is a part of its own.
    """

    def __init__(
        self, processes: Processes, archives: list[ArchiveToRead], helpers: int, *, singly: bool = False
    ) -> None:
        self._processes, self._archives = processes, archives
        # What was yielded so far: how many archives have ended, and the places of the members.
        self._ended = 0
        self.places_read: set[str] = set()
        # The member that it announced last.
        self.member: FoundFile | None = None
        # Our end of the pipe that the worker makes, and the name under which the worker sends it.
        self._pipe: Connection | None = None
        self._pipe_name = os.urandom(16).hex()
        self._reading = processes.submit(_read_into, self._pipe_name, archives, helpers, singly)

    @property
    def rest(self) -> list[ArchiveToRead]:
        """The archives that have not ended, without the members that were read."""
        return [archive.without(self.places_read) for archive in self._archives[self._ended :]]

    def parts(self, on_read: Callable[[int], None], meanwhile: Callable[[], None]) -> Iterator[ReadMembers]:
        """The parts, in order. Raises the error of the worker.

        `on_read` is called with the number of bytes read; `meanwhile` some times a second during a wait.
        """
        parts: deque[tuple[ReadMembers, Future[ReadFiles] | None]] = deque()
        pipe, is_over = self._wait_for_pipe(meanwhile), False
        failure: Exception | None = None
        while parts or not is_over:
            while not is_over and (not parts or pipe.poll()):
                meanwhile()
                try:
                    message = self._next(pipe, meanwhile)
                except Exception as error:  # noqa: BLE001 - raised behind what came before it
                    failure, is_over = error, True
                    break
                if isinstance(message, ReadMembers):
                    to_read = message.to_read
                    parts.append((message, self._processes.submit(read.read_files, to_read) if to_read else None))
                elif message is None:
                    is_over = True
                elif isinstance(message, FoundFile):
                    self.member = message
                else:
                    on_read(message)
            if parts:
                part, reading = parts.popleft()
                if reading is not None:
                    part.base = self._processes.result(reading, meanwhile)
                with suppress(OSError):
                    # The worker has ended where this was its last part.
                    pipe.send(None)
                self._ended += part.ended
                self.places_read.update(file.place for file in part.files)
                yield part
        if failure is not None:
            raise failure

    def close(self) -> None:
        if self._pipe is not None:
            self._pipe.close()

    def _wait_for_pipe(self, meanwhile: Callable[[], None]) -> Connection:
        """Waits until the worker has started; returns our end of its pipe."""
        from multiprocessing.connection import Connection

        while (descriptor := self._processes.open_files.take(self._pipe_name)) is None:
            self._check_worker(meanwhile)
            time.sleep(_START_S)
        self._pipe = Connection(descriptor)
        return self._pipe

    def _next(self, pipe: Connection, meanwhile: Callable[[], None]) -> Any:
        while not pipe.poll(PROGRESS_S):
            self._check_worker(meanwhile)
        try:
            return pipe.recv()
        except (EOFError, OSError):
            self._processes.result(self._reading, meanwhile)
            raise

    def _check_worker(self, meanwhile: Callable[[], None]) -> None:
        meanwhile()
        self._processes.look_after()
        if self._reading.done():
            # The last message, or the pipe, may have come meanwhile; else this raises the error of the worker.
            self._reading.result()


class _WorkerPipe:
    """The worker's end of the pipe: it sends parts and progress, and receives a message for each part yielded."""

    def __init__(self, pipe: Connection, helpers: int) -> None:
        self._pipe, self._helpers = pipe, helpers
        self._last_progress = time.monotonic()
        # For each part that was sent and not yielded yet: whether a helper reads it.
        self._sent: deque[bool] = deque()

    def send_progress(self, bytes_read: int) -> None:
        if time.monotonic() > self._last_progress + PROGRESS_S:
            self._last_progress = time.monotonic()
            # This raises where the other end is closed: the reading ends.
            self._pipe.send(bytes_read)

    def send_member(self, file: FoundFile) -> None:
        self._pipe.send(file)

    def has_free_helper(self) -> bool:
        while self._pipe.poll():
            self._receive()
        return sum(self._sent) < self._helpers

    def send_part(self, part: ReadMembers) -> None:
        while len(self._sent) >= AHEAD + self._helpers:
            self._receive()
        self._pipe.send(part)
        self._sent.append(bool(part.to_read))

    def _receive(self) -> None:
        self._pipe.recv()
        self._sent.popleft()


def _read_into(pipe_name: str, archives: list[ArchiveToRead], helpers: int, singly: bool) -> None:
    from multiprocessing import Pipe

    pipe, other_end = Pipe()
    send_file(other_end.fileno(), pipe_name)
    other_end.close()
    worker = _WorkerPipe(pipe, helpers)
    tell = worker.send_member if singly else None
    for part in read_members(archives, worker.send_progress, read.read_files, worker.has_free_helper, tell):
        worker.send_part(part)
    pipe.send(None)
