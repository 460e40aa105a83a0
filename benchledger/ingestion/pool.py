"""Reads units of files in several processes, and yields the results in the order of the units."""

from __future__ import annotations

import os
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Future, wait
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from benchledger.errors import BenchledgerError
from benchledger.ingestion.members import ArchiveToRead, ReadMembers, read_members
from benchledger.ingestion.read import ReadFiles, Unit, UnitReader, begin_worker, read_files
from benchledger.ingestion.transfer import use_unnamed_sockets

if TYPE_CHECKING:
    from concurrent.futures import Executor, ProcessPoolExecutor
    from multiprocessing.connection import Connection

# Makes the reader of a process, which calls the argument `meanwhile` again and again.
NewReader = Callable[..., UnitReader]
# Less than this is read sooner than a second process has started.
WORTH_A_PROCESS = 24 * 1024 * 1024
# Bytes expected of one byte of an archive: they only decide whether other processes help.
EXPANSION = 8
# Bytes read ahead while earlier units are written, so that no process waits for the writer.
READ_AHEAD = 32 * 1024 * 1024
# Seconds between two calls of `meanwhile` during a wait for another process.
MEANWHILE_S = 0.2
# Parts that a process may be ahead, besides those that its helpers read.
AHEAD = 4
# Seconds between two reports of progress, and between two checks whether the worker still runs.
PROGRESS_S = 0.1


def is_little(sizes: list[int]) -> bool:
    """Whether one process reads files of these sizes, even if each should be an archive."""
    return sum(sizes) * EXPANSION < WORTH_A_PROCESS


class Pool:
    """The processes of one ingest, and this one, which reads where there are no others."""

    def __init__(self, new_reader: NewReader, jobs: int) -> None:
        """`new_reader` makes the reader of a process; another process unpickles it."""
        self._new_reader, self._jobs = new_reader, jobs
        # Called again and again while logs are read.
        self.meanwhile: Callable[[], None] = lambda: None
        self._executor: ProcessPoolExecutor | None = None
        # While this is open, the other processes read.
        self._open_end: Connection | None = None
        self._reader: UnitReader | None = None
        self._processes = 1
        self._workers: deque[ArchiveWorker] = deque()

    @property
    def is_started(self) -> bool:
        """Whether other processes were started."""
        return self._executor is not None

    def start(self, expected: int, count: int | None = None) -> None:
        """Starts other processes where there is enough to read: `expected` bytes, in `count` units if that is known."""
        if self._executor is None and self._jobs > 1 and expected >= WORTH_A_PROCESS:
            self._processes = min(self._jobs, count or self._jobs)
            self._executor, self._open_end = _processes(self._processes, self._new_reader)

    def close(self) -> None:
        """Ends the processes, also one that still reads."""
        for worker in self._workers:
            worker.close()
        if self._open_end is not None:
            self._open_end.close()
        if self._executor is not None:
            # A process that ends in the middle of a message leaves half of it. While this process has the other end of
            # the pipe open too, the executor, and the end of Python, would wait for the rest for ever.
            results: Any = self._executor._result_queue
            if results is not None:
                results._writer.close()
            self._executor.shutdown(wait=False, cancel_futures=True)

    def read(self, units: Iterable[Unit]) -> Iterator[tuple[Unit, ReadFiles]]:
        """Reads units, in order. Other processes begin at once.

        Raises BenchledgerError if one of them is ended from outside.
        """
        pending = iter(units)
        if self._executor is None:
            return ((unit, self._here().read(unit.to_read)) for unit in pending)
        in_flight: deque[tuple[Unit, Future[ReadFiles]]] = deque()
        self._fill(self._executor, in_flight, pending)
        return self._in_turn(self._executor, pending, in_flight)

    def read_archives(self, units: list[list[ArchiveToRead]], on_read: Callable[[int], None]) -> Iterator[ReadMembers]:
        """Reads the members of archives, in order: one process reads a unit of archives, several units in parallel.

        Idle processes help with small members. `on_read` is called with the number of bytes read so far of the archives
        that have not ended. Raises as `read` does.
        """
        if self._executor is None:
            for archives in units:
                yield from read_members(archives, on_read, self._here().read)
            return
        workers = self._workers
        pending = deque(units)
        # Where there are fewer archives than processes. Each archive has a process of its own: none waits for ever.
        helpers = max(self._processes - len(pending), 0) // max(len(pending), 1)
        with _says_if_killed():
            while pending or workers:
                while pending and len(workers) < 2 * self._processes:
                    workers.append(ArchiveWorker(self._executor, pending.popleft(), helpers))
                yield from workers[0].parts(on_read, self.meanwhile)
                workers.popleft().close()

    def _fill(
        self, executor: ProcessPoolExecutor, in_flight: deque[tuple[Unit, Future[ReadFiles]]], pending: Iterator[Unit]
    ) -> None:
        # Bounded, because what was read stays in memory until it is loaded.
        while len(in_flight) < 2 * self._jobs or sum(unit.bytes for unit, _ in in_flight) < READ_AHEAD:
            if (unit := next(pending, None)) is None:
                return
            in_flight.append((unit, executor.submit(read_files, unit.to_read)))

    def _in_turn(
        self, executor: ProcessPoolExecutor, pending: Iterator[Unit], in_flight: deque[tuple[Unit, Future[ReadFiles]]]
    ) -> Iterator[tuple[Unit, ReadFiles]]:
        with _says_if_killed():
            while in_flight:
                unit, future = in_flight.popleft()
                while not wait([future], MEANWHILE_S).done:
                    self.meanwhile()
                base = future.result()
                self._fill(executor, in_flight, pending)
                yield unit, base

    def _here(self) -> UnitReader:
        if self._reader is None:
            self._reader = self._new_reader(meanwhile=self.meanwhile)
        return self._reader


@contextmanager
def _says_if_killed() -> Iterator[None]:
    try:
        yield
    except BrokenExecutor as error:
        raise BenchledgerError(
            "a reading process was killed, perhaps because memory ran out (or, in a script "
            "of your own, of `if __name__ == '__main__':`). What was loaded before is kept; try again with --jobs 1"
        ) from error


def _processes(count: int, new_reader: NewReader) -> tuple[ProcessPoolExecutor, Connection]:
    # Not imported where one process reads. Workers need resource_sharer: it is imported once, before they are forked.
    import multiprocessing.resource_sharer
    from concurrent.futures import ProcessPoolExecutor

    # fork is by far the quickest start, and safe only while this is the one thread; DuckDB has none while it is closed.
    if sys.platform == "linux" and len(os.listdir("/proc/self/task")) == 1:
        how = "fork"
    else:
        how = "spawn"
    use_unnamed_sockets()
    their_end, our_end = multiprocessing.Pipe(duplex=False)
    context = multiprocessing.get_context(how)
    executor = ProcessPoolExecutor(count, context, begin_worker, (new_reader, (their_end, our_end)))
    # They are forked now, so that none of them has the ends of others' pipes.
    executor.submit(_nothing)
    return executor, our_end


def _nothing() -> None:
    pass


class ArchiveWorker:
    """Some archives, which a process begins to read as soon as it is free.

    It passes small members to `helpers` other processes, and reads itself where these are busy.
    """

    def __init__(self, executor: Executor, archives: list[ArchiveToRead], helpers: int) -> None:
        from multiprocessing import Pipe

        self._executor = executor
        self._pipe, self._other_end = Pipe()
        self._reading = executor.submit(_read_into, self._other_end, archives, helpers)

    def parts(self, on_read: Callable[[int], None], meanwhile: Callable[[], None]) -> Iterator[ReadMembers]:
        """The parts, in order. Raises the error of the worker.

        `on_read` is called with the number of bytes read; `meanwhile` some times a second during a wait.
        """
        parts: deque[tuple[ReadMembers, Future[ReadFiles] | None]] = deque()
        is_over = False
        while parts or not is_over:
            while not is_over and (not parts or self._pipe.poll()):
                meanwhile()
                message = self._next(meanwhile)
                if isinstance(message, ReadMembers):
                    to_read = message.to_read
                    parts.append((message, self._executor.submit(read_files, to_read) if to_read else None))
                elif message is None:
                    is_over = True
                else:
                    on_read(message)
            if parts:
                part, reading = parts.popleft()
                if reading is not None:
                    while not wait([reading], MEANWHILE_S).done:
                        meanwhile()
                    part.base = reading.result()
                with suppress(OSError):
                    # The worker has ended where this was its last part.
                    self._pipe.send(None)
                yield part

    def close(self) -> None:
        """Ends the reading, if it is not at its end."""
        self._pipe.close()
        self._other_end.close()

    def _next(self, meanwhile: Callable[[], None]) -> Any:
        while not self._pipe.poll(PROGRESS_S):
            meanwhile()
            if self._reading.done():
                # The last message may have come meanwhile; else this raises the error of the worker.
                self._reading.result()
        # The worker has its end by now: when it ends, the pipe closes.
        self._other_end.close()
        try:
            return self._pipe.recv()
        except (EOFError, OSError):
            self._reading.result()
            raise


class _WorkerPipe:
    """The worker's end of the pipe: it sends parts and progress, and receives a message for each part taken."""

    def __init__(self, pipe: Connection, helpers: int) -> None:
        self._pipe, self._helpers = pipe, helpers
        self._last_progress = time.monotonic()
        # For each part that was sent and not taken yet: whether a helper reads it.
        self._sent: deque[bool] = deque()

    def send_progress(self, bytes_read: int) -> None:
        if time.monotonic() > self._last_progress + PROGRESS_S:
            self._last_progress = time.monotonic()
            # This raises where the other end is closed: the reading ends.
            self._pipe.send(bytes_read)

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


def _read_into(pipe: Connection, archives: list[ArchiveToRead], helpers: int) -> None:
    worker = _WorkerPipe(pipe, helpers)
    for part in read_members(archives, worker.send_progress, read_files, worker.has_free_helper):
        worker.send_part(part)
    pipe.send(None)
