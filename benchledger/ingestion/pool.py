"""Spreads the reading over processes, and yields what was read in the order of the units."""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from benchledger.errors import BenchledgerError
from benchledger.ingestion.discover import FoundFile
from benchledger.ingestion.read import Batch, ToRead, begin, read_batch

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

# One unit of work: small files together, so that they cost no per-file overhead.
UNIT_BYTES = 8 * 1024 * 1024
UNIT_FILES = 1_000
# Less than this is read sooner than a second process has started.
WORTH_A_PROCESS = 24 * 1024 * 1024
# How much probably comes out of an archive, for each of its bytes: it only decides whether other processes help.
EXPANSION = 8
# So much is read while what came before is written, so that no process waits for that.
READ_AHEAD = 32 * 1024 * 1024


@dataclass
class Unit:
    """Files that are read together. Those with a problem, and facts.toml, stand among them to keep the order.

    `settle`: its file is a stream, which only this process can read; what came of it is settled when it is read, and
    `stop` ends its reading before.
    """

    files: list[FoundFile] = field(default_factory=list)
    to_read: list[ToRead] = field(default_factory=list)
    settle: Callable[[Batch], Batch] | None = None
    stop: Callable[[], None] | None = None
    bytes: int = 0

    @property
    def full(self) -> bool:
        """Whether nothing more belongs into it."""
        return self.bytes >= UNIT_BYTES or len(self.files) >= UNIT_FILES


def units_of(files: list[FoundFile], to_read: list[ToRead]) -> list[Unit]:
    """Files in order, in units of 8 MB and at most 1,000 files."""
    units: list[Unit] = []
    for file, reading in zip(files, to_read, strict=True):
        if not units or units[-1].bytes + reading.size > UNIT_BYTES or units[-1].full:
            units.append(Unit())
        units[-1].files.append(file)
        units[-1].to_read.append(reading)
        units[-1].bytes += reading.size
    return units


def is_little(sizes: list[int]) -> bool:
    """Whether no other process will help to read files of these sizes, even if each should be an archive."""
    return sum(sizes) * EXPANSION < WORTH_A_PROCESS


class Pool:
    """The processes of one ingest: started when there is enough to read, and used again for what comes after."""

    def __init__(self, known: frozenset[str], key: bytes, folder: Path, jobs: int) -> None:
        """`folder`: where records may wait."""
        self._given, self._jobs = (known, key, folder), jobs
        self._executor: ProcessPoolExecutor | None = None
        self._begun = False
        self._processes = 0
        # Reads streams, one at a time, while this process writes.
        self._beside = ThreadPoolExecutor(1)
        self._stop: Callable[[], None] | None = None

    @property
    def is_started(self) -> bool:
        """Whether there are processes beside this one."""
        return self._executor is not None

    def close(self) -> None:
        """Lets the processes go."""
        if self._stop is not None:
            self._stop()
        self._beside.shutdown(cancel_futures=True)
        if self._executor is not None:
            self._executor.shutdown(wait=False, cancel_futures=True)

    def read(self, units: Iterable[Unit], expected: int, count: int | None = None) -> Iterator[tuple[Unit, Batch]]:
        """What was read, unit by unit in order. Other processes help, and begin at once, where there is enough to read:
        `expected` bytes, in `count` units if that is known.

        Raises BenchledgerError if one of them is ended from outside.
        """
        pending = iter(units)
        count = self._jobs if count is None else count
        if self._jobs == 1 or (self._executor is None and (count < 2 or expected < WORTH_A_PROCESS)):
            return ((unit, self._here(unit)) for unit in pending)
        self._processes = self._processes or min(self._jobs, count)
        waiting: deque[tuple[Unit, Future[Batch] | Batch]] = deque()
        self._fill(waiting, pending)
        return self._in_turn(pending, waiting)

    def _fill(self, waiting: deque[tuple[Unit, Future[Batch] | Batch]], pending: Iterator[Unit]) -> None:
        # A bounded amount in flight: what was read waits in memory until it is loaded.
        while len(waiting) < 2 * self._jobs or sum(unit.bytes for unit, _ in waiting) < READ_AHEAD:
            if waiting and waiting[-1][0].settle is not None:
                # What follows in its archive can be asked for when it has been read, and comes to nothing before.
                return
            if (unit := next(pending, None)) is None:
                return
            waiting.append((unit, self._begin(unit)))

    def _in_turn(
        self, pending: Iterator[Unit], waiting: deque[tuple[Unit, Future[Batch] | Batch]]
    ) -> Iterator[tuple[Unit, Batch]]:
        try:
            while waiting:
                unit, future = waiting.popleft()
                batch = future if isinstance(future, Batch) else future.result()
                self._fill(waiting, pending)
                yield unit, batch
        except BrokenExecutor as error:
            raise BenchledgerError(
                "a process that was reading logs was ended from outside, perhaps for want of memory (or, in a script "
                "of your own, of `if __name__ == '__main__':`). What was loaded before is kept; try again with --jobs 1"
            ) from error

    def _begin(self, unit: Unit) -> Future[Batch] | Batch:
        if unit.settle is not None:
            self._stop = unit.stop
            return self._beside.submit(self._here, unit)
        if not unit.to_read:
            return self._here(unit)
        if self._executor is None:
            self._executor = _processes(self._processes, self._given)
        return self._executor.submit(read_batch, unit.to_read)

    def _here(self, unit: Unit) -> Batch:
        if not unit.to_read:
            return Batch()
        if not self._begun:
            begin(*self._given, in_worker=False)
            self._begun = True
        batch = read_batch(unit.to_read)
        return batch if unit.settle is None else unit.settle(batch)


def _processes(count: int, given: tuple[frozenset[str], bytes, Path]) -> ProcessPoolExecutor:
    # Not imported where one process reads. What hands over what was read is imported once, before the processes part.
    import multiprocessing.resource_sharer
    from concurrent.futures import ProcessPoolExecutor

    # fork is by far the quickest start, and safe only while this is the one thread; DuckDB has none while it is closed.
    if sys.platform == "linux" and len(os.listdir("/proc/self/task")) == 1:
        how = "fork"
    else:
        how = "spawn"
    return ProcessPoolExecutor(count, multiprocessing.get_context(how), begin, given)
