"""Reads units of files in several processes, and yields the results in the order of the units."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Future, wait
from contextlib import closing, contextmanager
from dataclasses import replace

from benchledger.errors import BenchledgerError
from benchledger.ingestion import read
from benchledger.ingestion.archive_worker import ArchiveWorker
from benchledger.ingestion.members import ArchiveToRead, ReadMembers, read_members, unread_archive
from benchledger.ingestion.read import UnitReader, begin_worker
from benchledger.ingestion.units import ReadFiles, Unit, WasRead
from benchledger.ingestion.worker_processes import Processes, start_method

# Makes the reader of a process, which calls the argument `meanwhile` again and again.
NewReader = Callable[..., UnitReader]
# After so many killed processes the machine is at fault, not the files.
MOST_KILLED = 20
KILLED = "cannot be read: the process that read it was killed, perhaps because memory ran out"
# Fewer bytes are read sooner than a second process has started.
WORTH_A_PROCESS = 24 * 1024 * 1024
# Expected bytes per byte of an archive; they only decide whether other processes help.
EXPANSION = 8
# Bytes read ahead while earlier units are written, so that no process waits for the writer.
READ_AHEAD = 32 * 1024 * 1024


class Readers:
    """The reading processes. `restart` replaces them after one was killed."""

    def __init__(self, count: int, new_reader: NewReader) -> None:
        """`new_reader` makes the reader of a process; another process unpickles it."""
        self._count, self._new_reader = count, new_reader
        self.processes = self._start()

    def restart(self) -> None:
        """Starts the processes again. Raises BenchledgerError if they end at once, or did so too often."""
        self.close()
        self.processes = self._start()
        try:
            self.processes.result(self.processes.submit(_nothing), _nothing)
        except BrokenExecutor as error:
            raise _given_up() from error

    def close(self) -> None:
        self.processes.close()

    def _start(self) -> Processes:
        processes = Processes(self._count, begin_worker, self._new_reader, how=start_method())
        # Forked now, so that none of them holds the pipes that are opened later.
        processes.submit(_nothing)
        return processes


class Alone:
    """Reads again, in one process and if needed file by file, what a killed process was reading."""

    def __init__(self, new_reader: NewReader, meanwhile: Callable[[], None]) -> None:
        self._readers = Readers(1, new_reader)
        self._meanwhile = meanwhile
        self._killed = 0

    def close(self) -> None:
        self._readers.close()

    def files(self, unit: Unit) -> Iterator[tuple[Unit, ReadFiles]]:
        """Reads a unit, in parts if it kills the process. A file that kills it alone gets that as its problem."""
        processes = self._readers.processes
        try:
            found = processes.result(processes.submit(read.read_files, unit.to_read), self._meanwhile)
        except BrokenExecutor:
            self._readers.restart()
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
                worker = ArchiveWorker(self._readers.processes, rest, 0, singly=singly)
                try:
                    yield from worker.parts(on_read, self._meanwhile)
                    rest = []
                except BrokenExecutor:
                    rest, killer = worker.rest, worker.member
                    self._readers.restart()
                    if singly and rest:
                        self._count()
                        if killer is None or killer.place in worker.places_read:
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


def _nothing() -> None:
    pass


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
        self._readers: Readers | None = None
        self._reader: UnitReader | None = None
        self._count = 1
        self._workers: deque[ArchiveWorker] = deque()

    @property
    def is_started(self) -> bool:
        return self._readers is not None

    def start(self, expected: int, count: int | None = None) -> None:
        """Starts other processes where there is enough to read: `expected` bytes, in `count` units if that is known."""
        if self._readers is None and self._jobs > 1 and expected >= WORTH_A_PROCESS:
            self._count = min(self._jobs, count or self._jobs)
            self._readers = Readers(self._count, self._new_reader)

    def close(self) -> None:
        """Ends the processes, also one that still reads."""
        for worker in self._workers:
            worker.close()
        if self._readers is not None:
            self._readers.close()

    def read(self, units: Iterable[Unit]) -> Iterator[tuple[Unit, ReadFiles]]:
        """Reads units, in order. Other processes begin at once.

        If one of them is killed, what was being read is read again, file by file if need be: a file that kills its
        process has that as its problem, and its unit comes in parts. Raises BenchledgerError if that goes on.
        """
        pending = iter(units)
        if self._readers is None:
            return ((unit, self._here().read(unit.to_read)) for unit in pending)
        in_flight: deque[tuple[Unit, Future[ReadFiles]]] = deque()
        self._fill(self._readers, in_flight, pending)
        return self._in_turn(self._readers, pending, in_flight)

    def read_archives(self, units: list[list[ArchiveToRead]], on_read: Callable[[int], None]) -> Iterator[ReadMembers]:
        """Reads the members of archives, in order: one process reads a unit of archives, several units in parallel.

        Idle processes help with small members. `on_read` is called with the number of bytes read so far of the archives
        that have not ended. Killed processes cost a member or an archive, as in `read`.
        """
        if self._readers is None:
            for archives in units:
                yield from read_members(archives, on_read, self._here().read)
            return
        workers = self._workers
        pending = deque(units)
        # Where there are fewer archives than processes. Each archive has a process of its own, so none waits forever.
        helpers = max(self._count - len(pending), 0) // max(len(pending), 1)
        while pending or workers:
            try:
                while pending and len(workers) < 2 * self._count:
                    workers.append(ArchiveWorker(self._readers.processes, pending[0], helpers))
                    pending.popleft()
                yield from workers[0].parts(on_read, self.meanwhile)
                workers.popleft().close()
            except BrokenExecutor:
                rests = [worker.rest for worker in workers] or [pending.popleft()]
                while workers:
                    workers.popleft().close()
                pending.extendleft(reversed(rests[1:]))
                with self._alone(self._readers) as alone:
                    yield from alone.archives(rests[0], on_read)

    def _fill(
        self, readers: Readers, in_flight: deque[tuple[Unit, Future[ReadFiles]]], pending: Iterator[Unit]
    ) -> None:
        # Bounded, because what was read stays in memory until it is loaded.
        while len(in_flight) < 2 * self._jobs or sum(unit.bytes for unit, _ in in_flight) < READ_AHEAD:
            if (unit := next(pending, None)) is None:
                return
            try:
                future = readers.processes.submit(read.read_files, unit.to_read)
            except BrokenExecutor as error:
                future = Future()
                future.set_exception(error)
            in_flight.append((unit, future))

    def _in_turn(
        self, readers: Readers, pending: Iterator[Unit], in_flight: deque[tuple[Unit, Future[ReadFiles]]]
    ) -> Iterator[tuple[Unit, ReadFiles]]:
        while in_flight:
            unit, future = in_flight[0]
            try:
                base = readers.processes.result(future, self.meanwhile)
            except BrokenExecutor:
                broken = list(in_flight)
                in_flight.clear()
                wait([future for _, future in broken])
                with self._alone(readers) as alone:
                    for unit, future in broken:
                        if isinstance(future.exception(), BrokenExecutor):
                            yield from alone.files(unit)
                        else:
                            yield unit, future.result()
                self._fill(readers, in_flight, pending)
            else:
                in_flight.popleft()
                self._fill(readers, in_flight, pending)
                yield unit, base

    @contextmanager
    def _alone(self, readers: Readers) -> Iterator[Alone]:
        # The others wait meanwhile: they may have needed too much memory together.
        readers.close()
        with closing(Alone(self._new_reader, self.meanwhile)) as alone:
            yield alone
        readers.restart()

    def _here(self) -> UnitReader:
        if self._reader is None:
            self._reader = self._new_reader(meanwhile=self.meanwhile)
        return self._reader
