"""Spreads the reading over processes, and yields what was read in the order of the files."""

from __future__ import annotations

import multiprocessing
import sys
import threading
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor

from benchledger.ingestion.read import Batch, ToRead, begin, read_batch

# One unit of work: small files together, so that they cost no per-file overhead.
UNIT_BYTES = 8 * 1024 * 1024
UNIT_FILES = 1_000
# Less than this is read sooner than a second process has started.
WORTH_A_PROCESS = 24 * 1024 * 1024


def read_all(files: list[ToRead], sizes: list[int], known: frozenset[str], jobs: int) -> Iterator[tuple[int, Batch]]:
    """What was read, unit by unit in order, each with the number of its files."""
    units = _units(files, sizes)
    if jobs == 1 or len(units) < 2 or sum(sizes) < WORTH_A_PROCESS:
        begin(known, in_worker=False)
        for unit in units:
            yield len(unit), read_batch(unit)
        return
    executor = ProcessPoolExecutor(min(jobs, len(units)), _context(), begin, (known,))
    try:
        waiting: deque[tuple[int, Future[Batch]]] = deque()
        pending = iter(units)
        # A bounded number in flight: what was read waits in memory until it is loaded.
        while True:
            while len(waiting) < 2 * jobs and (unit := next(pending, None)) is not None:
                waiting.append((len(unit), executor.submit(read_batch, unit)))
            if not waiting:
                return
            count, future = waiting.popleft()
            yield count, future.result()
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
    if sys.platform == "linux" and threading.active_count() == 1:
        return multiprocessing.get_context("fork")
    return multiprocessing.get_context("spawn")
