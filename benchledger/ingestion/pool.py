"""Reads units of files in several processes, and yields the results in the order of the units."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Future, wait
from contextlib import closing, contextmanager

from benchledger.ingestion import read
from benchledger.ingestion.archive_worker import MEANWHILE_S, ArchiveWorker
from benchledger.ingestion.members import ArchiveToRead, ReadMembers, read_members
from benchledger.ingestion.processes import Alone, NewReader, Processes
from benchledger.ingestion.read import UnitReader
from benchledger.ingestion.units import ReadFiles, Unit

# Less than this is read sooner than a second process has started.
WORTH_A_PROCESS = 24 * 1024 * 1024
# Bytes expected of one byte of an archive: they only decide whether other processes help.
EXPANSION = 8
# Bytes read ahead while earlier units are written, so that no process waits for the writer.
READ_AHEAD = 32 * 1024 * 1024


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
        self._processes: Processes | None = None
        self._reader: UnitReader | None = None
        self._count = 1
        self._workers: deque[ArchiveWorker] = deque()

    @property
    def is_started(self) -> bool:
        return self._processes is not None

    def start(self, expected: int, count: int | None = None) -> None:
        """Starts other processes where there is enough to read: `expected` bytes, in `count` units if that is known."""
        if self._processes is None and self._jobs > 1 and expected >= WORTH_A_PROCESS:
            self._count = min(self._jobs, count or self._jobs)
            self._processes = Processes(self._count, self._new_reader)

    def close(self) -> None:
        """Ends the processes, also one that still reads."""
        for worker in self._workers:
            worker.close()
        if self._processes is not None:
            self._processes.close()

    def read(self, units: Iterable[Unit]) -> Iterator[tuple[Unit, ReadFiles]]:
        """Reads units, in order. Other processes begin at once.

        If one of them is killed, what was being read is read again, file by file if need be: a file that kills its
        process has that as its problem, and its unit comes in parts. Raises BenchledgerError if that goes on.
        """
        pending = iter(units)
        if self._processes is None:
            return ((unit, self._here().read(unit.to_read)) for unit in pending)
        in_flight: deque[tuple[Unit, Future[ReadFiles]]] = deque()
        self._fill(self._processes, in_flight, pending)
        return self._in_turn(self._processes, pending, in_flight)

    def read_archives(self, units: list[list[ArchiveToRead]], on_read: Callable[[int], None]) -> Iterator[ReadMembers]:
        """Reads the members of archives, in order: one process reads a unit of archives, several units in parallel.

        Idle processes help with small members. `on_read` is called with the number of bytes read so far of the archives
        that have not ended. Killed processes cost a member or an archive, as in `read`.
        """
        if self._processes is None:
            for archives in units:
                yield from read_members(archives, on_read, self._here().read)
            return
        workers = self._workers
        pending = deque(units)
        # Where there are fewer archives than processes. Each archive has a process of its own: none waits for ever.
        helpers = max(self._count - len(pending), 0) // max(len(pending), 1)
        while pending or workers:
            try:
                while pending and len(workers) < 2 * self._count:
                    workers.append(ArchiveWorker(self._processes.executor, pending[0], helpers))
                    pending.popleft()
                yield from workers[0].parts(on_read, self.meanwhile)
                workers.popleft().close()
            except BrokenExecutor:
                rests = [worker.rest for worker in workers] or [pending.popleft()]
                while workers:
                    workers.popleft().close()
                pending.extendleft(reversed(rests[1:]))
                with self._alone(self._processes) as alone:
                    yield from alone.archives(rests[0], on_read)

    def _fill(
        self, processes: Processes, in_flight: deque[tuple[Unit, Future[ReadFiles]]], pending: Iterator[Unit]
    ) -> None:
        # Bounded, because what was read stays in memory until it is loaded.
        while len(in_flight) < 2 * self._jobs or sum(unit.bytes for unit, _ in in_flight) < READ_AHEAD:
            if (unit := next(pending, None)) is None:
                return
            try:
                future = processes.executor.submit(read.read_files, unit.to_read)
            except BrokenExecutor as error:
                future = Future()
                future.set_exception(error)
            in_flight.append((unit, future))

    def _in_turn(
        self, processes: Processes, pending: Iterator[Unit], in_flight: deque[tuple[Unit, Future[ReadFiles]]]
    ) -> Iterator[tuple[Unit, ReadFiles]]:
        while in_flight:
            unit, future = in_flight[0]
            while not wait([future], MEANWHILE_S).done:
                self.meanwhile()
            if isinstance(future.exception(), BrokenExecutor):
                broken = list(in_flight)
                in_flight.clear()
                wait([future for _, future in broken])
                with self._alone(processes) as alone:
                    for unit, future in broken:
                        if isinstance(future.exception(), BrokenExecutor):
                            yield from alone.files(unit)
                        else:
                            yield unit, future.result()
                self._fill(processes, in_flight, pending)
            else:
                in_flight.popleft()
                base = future.result()
                self._fill(processes, in_flight, pending)
                yield unit, base

    @contextmanager
    def _alone(self, processes: Processes) -> Iterator[Alone]:
        # The others wait meanwhile: they may have needed too much memory together.
        processes.close()
        with closing(Alone(self._new_reader, self.meanwhile)) as alone:
            yield alone
        processes.restart()

    def _here(self) -> UnitReader:
        if self._reader is None:
            self._reader = self._new_reader(meanwhile=self.meanwhile)
        return self._reader
