"""Spreads the reading over processes, and yields what was read in the order of the files."""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice

from benchledger.errors import BenchledgerError
from benchledger.ingestion.read import Batch, ToRead, begin, read_batch

# One unit of work: small files together, so that they cost no per-file overhead.
UNIT_BYTES = 8 * 1024 * 1024
UNIT_FILES = 1_000
# Less than this is read sooner than a second process has started.
WORTH_A_PROCESS = 24 * 1024 * 1024


def read_all(files: list[ToRead], sizes: list[int], known: frozenset[str], jobs: int) -> Iterator[tuple[int, Batch]]:
    """What was read, unit by unit in order, each with the number of its files. Other processes begin at once.

    Raises BenchledgerError if one of them is ended from outside.
    """
    units = _units(files, sizes)
    if jobs == 1 or len(units) < 2 or sum(sizes) < WORTH_A_PROCESS:
        return _read_here(units, known)
    executor = ProcessPoolExecutor(min(jobs, len(units)), _context(), begin, (known,))
    pending = iter(units)
    # A bounded number in flight: what was read waits in memory until it is loaded.
    waiting = deque((len(unit), executor.submit(read_batch, unit)) for unit in islice(pending, 2 * jobs))
    return _read_there(executor, pending, waiting)


def _read_here(units: list[list[ToRead]], known: frozenset[str]) -> Iterator[tuple[int, Batch]]:
    begin(known, in_worker=False)
    for unit in units:
        yield len(unit), read_batch(unit)


def _read_there(
    executor: ProcessPoolExecutor, pending: Iterator[list[ToRead]], waiting: deque[tuple[int, Future[Batch]]]
) -> Iterator[tuple[int, Batch]]:
    try:
        while waiting:
            count, future = waiting.popleft()
            batch = future.result()
            if unit := next(pending, []):
                waiting.append((len(unit), executor.submit(read_batch, unit)))
            yield count, batch
    except BrokenProcessPool as error:
        raise BenchledgerError(
            "a process that was reading logs was ended from outside, perhaps for want of memory (or, in a script of "
            "your own, of `if __name__ == '__main__':`). What was loaded before is kept; try again with --jobs 1"
        ) from error
    finally:
        executor.shutdown(wait=False, cancel_futures=True)


def _units(files: list[ToRead], sizes: list[int]) -> list[list[ToRead]]:
    units: list[list[ToRead]] = []
    room = 0
    for file, size in zip(files, sizes, strict=True):
        if not units or size > room or len(units[-1]) >= UNIT_FILES:
            units.append([])
            room = UNIT_BYTES
        units[-1].append(file)
        room -= size
    return units


def _context() -> multiprocessing.context.BaseContext:
    # fork is by far the quickest start, and safe only while this is the one thread; DuckDB has none while it is closed.
    if sys.platform == "linux" and len(os.listdir("/proc/self/task")) == 1:
        return multiprocessing.get_context("fork")
    return multiprocessing.get_context("spawn")
