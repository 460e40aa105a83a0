"""Reads units of files in several processes, and yields the results in the order of the units."""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Future, wait
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from benchledger.definitions.folders import own_folders
from benchledger.errors import BenchledgerError
from benchledger.ingestion import read
from benchledger.ingestion.archive_worker import MEANWHILE_S, ArchiveWorker
from benchledger.ingestion.members import ArchiveToRead, ReadMembers, read_members, unread_archive
from benchledger.ingestion.read import UnitReader, begin_worker
from benchledger.ingestion.transfer import use_unnamed_sockets
from benchledger.ingestion.units import ReadFiles, Unit, WasRead

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing.connection import Connection

# Makes the reader of a process, which calls the argument `meanwhile` again and again.
NewReader = Callable[..., UnitReader]
# After so many killed processes the machine is at fault, not the files.
MOST_KILLED = 20
# So long the thread that watches the processes may take to see that they ended.
_ENDED_S = 1.0
KILLED = "cannot be read: the process that read it was killed, perhaps because memory ran out"


class Processes:
    """Some processes that read. Those that are killed are replaced by `restart`."""

    def __init__(self, count: int, new_reader: NewReader) -> None:
        """`new_reader` makes the reader of a process; another process unpickles it."""
        self._count, self._new_reader = count, new_reader
        # While the end is open, the other processes read.
        self.executor, self._open_end = _processes(count, new_reader)

    def restart(self) -> None:
        """Starts the processes again. Raises BenchledgerError if they end at once, or did so too often."""
        self.close()
        self.executor, self._open_end = _processes(self._count, self._new_reader)
        try:
            self.executor.submit(_nothing).result()
        except BrokenExecutor as error:
            raise _given_up() from error

    def close(self) -> None:
        """Ends the processes, also one that still reads."""
        self._open_end.close()
        # A process that ends in the middle of a message leaves half of it. While this process has the other end of the
        # pipe open too, the executor, and the end of Python, would wait for the rest for ever.
        results: Any = self.executor._result_queue
        if results is not None:
            results._writer.close()
        # One that still starts would not see that, and print a traceback.
        for process in list((self.executor._processes or {}).values()):
            process.kill()
        manager: Any = self.executor._executor_manager_thread
        self.executor.shutdown(wait=False, cancel_futures=True)
        if manager is not None:
            # Python's exit writes to a pipe that this thread closes: not both at once.
            manager.join(_ENDED_S)


class Alone:
    """Reads in one process, file by file if need be, what was being read when a process was killed."""

    def __init__(self, new_reader: NewReader, meanwhile: Callable[[], None]) -> None:
        self._processes = Processes(1, new_reader)
        self._meanwhile = meanwhile
        self._killed = 0

    def close(self) -> None:
        self._processes.close()

    def files(self, unit: Unit) -> Iterator[tuple[Unit, ReadFiles]]:
        """Reads a unit, in parts if it kills the process. A file that kills it alone gets that as its problem."""
        future = self._processes.executor.submit(read.read_files, unit.to_read)
        while not wait([future], MEANWHILE_S).done:
            self._meanwhile()
        try:
            found = future.result()
        except BrokenExecutor:
            self._processes.restart()
        else:
            yield unit, found
            return
        if len(unit.to_read) == 1:
            self._count()
            yield unit, ReadFiles([WasRead(problem=KILLED)])
        else:
            for half in unit.halves():
                yield from self.files(half)

    def archives(self, archives: list[ArchiveToRead], on_read: Callable[[int], None]) -> Iterator[ReadMembers]:
        """Reads archives one by one. A member that kills the process alone gets that as its problem."""
        for archive in archives:
            rest, singly = [archive], False
            while rest:
                worker = ArchiveWorker(self._processes.executor, rest, 0, singly=singly)
                try:
                    yield from worker.parts(on_read, self._meanwhile)
                    rest = []
                except BrokenExecutor:
                    rest, killer = worker.rest, worker.member
                    self._processes.restart()
                    if singly and rest:
                        self._count()
                        if killer is None or killer.place in worker.taken:
                            # While it looked for the next member.
                            yield unread_archive(archive, KILLED)
                            rest = []
                        else:
                            yield ReadMembers([replace(killer, problem=KILLED)], {}, ReadFiles())
                            rest = [one.without({killer.place}) for one in rest]
                    singly = True
                finally:
                    worker.close()

    def _count(self) -> None:
        self._killed += 1
        if self._killed > MOST_KILLED:
            raise _given_up()


def _given_up() -> BenchledgerError:
    return BenchledgerError(
        "reading processes are killed again and again, perhaps because memory runs out (or, in a script "
        "of your own, of `if __name__ == '__main__':`). What was loaded before is kept; try again with --jobs 1"
    )


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
    executor = ProcessPoolExecutor(count, context, begin_worker, (new_reader, (their_end, our_end), own_folders()))
    # They are forked now, so that none of them has the ends of others' pipes.
    executor.submit(_nothing)
    return executor, our_end


def _nothing() -> None:
    pass


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
