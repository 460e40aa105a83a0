"""Spreads the reading over processes, and yields what was read in the order of the units."""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Future
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from benchledger.errors import BenchledgerError
from benchledger.ingestion.elsewhere import Elsewhere
from benchledger.ingestion.members import Packed, Unpacked, unpack
from benchledger.ingestion.read import Batch, begin, read_batch
from benchledger.ingestion.unit import Unit

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

# Less than this is read sooner than a second process has started.
WORTH_A_PROCESS = 24 * 1024 * 1024
# How much probably comes out of an archive, for each of its bytes: it only decides whether other processes help.
EXPANSION = 8
# So much is read while what came before is written, so that no process waits for that.
READ_AHEAD = 32 * 1024 * 1024


def is_little(sizes: list[int]) -> bool:
    """Whether no other process will help to read files of these sizes, even if each should be an archive."""
    return sum(sizes) * EXPANSION < WORTH_A_PROCESS


class Pool:
    """The processes of one ingest, and this one, which reads where there are no others."""

    def __init__(self, known: frozenset[str], key: bytes, folder: Path, jobs: int) -> None:
        """`folder`: where records may wait."""
        self._given, self._jobs = (known, key, folder), jobs
        self._executor: ProcessPoolExecutor | None = None
        self._begun = False
        self._processes = 1
        self._elsewhere: deque[Elsewhere] = deque()

    @property
    def is_started(self) -> bool:
        """Whether there are processes beside this one."""
        return self._executor is not None

    def start(self, expected: int, count: int | None = None) -> None:
        """Starts other processes where there is enough to read: `expected` bytes, in `count` units if that is known."""
        if self._executor is None and self._jobs > 1 and expected >= WORTH_A_PROCESS:
            self._processes = min(self._jobs, count or self._jobs)
            self._executor = _processes(self._processes, self._given)

    def close(self) -> None:
        """Lets the processes go."""
        for elsewhere in self._elsewhere:
            elsewhere.close()
        if self._executor is not None:
            self._executor.shutdown(wait=False, cancel_futures=True)

    def read(self, units: Iterable[Unit]) -> Iterator[tuple[Unit, Batch]]:
        """What was read, unit by unit in order. Other processes begin at once.

        Raises BenchledgerError if one of them is ended from outside.
        """
        pending = iter(units)
        if self._executor is None:
            return ((unit, self._here(unit)) for unit in pending)
        waiting: deque[tuple[Unit, Future[Batch]]] = deque()
        self._fill(self._executor, waiting, pending)
        return self._in_turn(self._executor, pending, waiting)

    def unpack(self, units: list[list[Packed]], on_read: Callable[[int], None]) -> Iterator[Unpacked]:
        """What archives hold, in order: those of a unit are read by one process, some units side by side. Processes
        that are left help with small members.

        `on_read` hears how many bytes have been read of those archives that were not told as ended. Raises as `read`
        does.
        """
        if self._executor is None:
            self._begin_here()
            for archives in units:
                yield from unpack(archives, on_read)
            return
        waiting = self._elsewhere
        pending = deque(units)
        # Where there are fewer archives than processes. Each archive has one to itself, so that none waits for ever.
        helpers = max(self._processes - len(pending), 0) // max(len(pending), 1)
        with _told_if_ended():
            while pending or waiting:
                while pending and len(waiting) < 2 * self._processes:
                    waiting.append(Elsewhere(self._executor, pending.popleft(), helpers))
                yield from waiting[0].parts(on_read)
                waiting.popleft().close()

    def _fill(
        self, executor: ProcessPoolExecutor, waiting: deque[tuple[Unit, Future[Batch]]], pending: Iterator[Unit]
    ) -> None:
        # A bounded amount in flight: what was read waits in memory until it is loaded.
        while len(waiting) < 2 * self._jobs or sum(unit.bytes for unit, _ in waiting) < READ_AHEAD:
            if (unit := next(pending, None)) is None:
                return
            waiting.append((unit, executor.submit(read_batch, unit.to_read)))

    def _in_turn(
        self, executor: ProcessPoolExecutor, pending: Iterator[Unit], waiting: deque[tuple[Unit, Future[Batch]]]
    ) -> Iterator[tuple[Unit, Batch]]:
        with _told_if_ended():
            while waiting:
                unit, future = waiting.popleft()
                batch = future.result()
                self._fill(executor, waiting, pending)
                yield unit, batch

    def _here(self, unit: Unit) -> Batch:
        self._begin_here()
        return read_batch(unit.to_read)

    def _begin_here(self) -> None:
        if not self._begun:
            begin(*self._given, in_worker=False)
            self._begun = True


@contextmanager
def _told_if_ended() -> Iterator[None]:
    try:
        yield
    except BrokenExecutor as error:
        raise BenchledgerError(
            "a process that was reading logs was ended from outside, perhaps for want of memory (or, in a script "
            "of your own, of `if __name__ == '__main__':`). What was loaded before is kept; try again with --jobs 1"
        ) from error


def _processes(count: int, given: tuple[frozenset[str], bytes, Path]) -> ProcessPoolExecutor:
    # Not imported where one process reads. What hands over what was read is imported once, before the processes part.
    import multiprocessing.resource_sharer
    from concurrent.futures import ProcessPoolExecutor

    # fork is by far the quickest start, and safe only while this is the one thread; DuckDB has none while it is closed.
    if sys.platform == "linux" and len(os.listdir("/proc/self/task")) == 1:
        how = "fork"
    else:
        how = "spawn"
    executor = ProcessPoolExecutor(count, multiprocessing.get_context(how), begin, given)
    # They are forked now: none of them shall hold the ends of others' pipes.
    executor.submit(_nothing)
    return executor


def _nothing() -> None:
    pass
