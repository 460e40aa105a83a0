"""Archives that another process reads: what it found comes through a pipe, part by part, some of it ahead."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from benchledger.ingestion.members import Packed, Unpacked, unpack
from benchledger.ingestion.read import Batch, read_batch

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future
    from multiprocessing.connection import Connection

# So many parts wait to be taken, beside those that others read.
AHEAD = 4
# So often it is told how far the reading is, and looked whether it still goes on.
TOLD_S = 0.1


class Elsewhere:
    """Some archives, which a process begins to read as soon as it is free.

    It hands small members on to `helpers` others, which have nothing to do but that, and reads itself what these have
    no time for.
    """

    def __init__(self, executor: Executor, archives: list[Packed], helpers: int) -> None:
        from multiprocessing import Pipe

        self._executor = executor
        self._pipe, self._other_end = Pipe()
        self._reading = executor.submit(_unpack_into, self._other_end, archives, helpers)

    def parts(self, on_read: Callable[[int], None]) -> Iterator[Unpacked]:
        """What was read, in order; `on_read` hears how many bytes have been. Raises what the reading raised."""
        waiting: deque[tuple[Unpacked, Future[Batch] | None]] = deque()
        is_over = False
        while waiting or not is_over:
            while not is_over and (not waiting or self._pipe.poll()):
                told = self._next()
                if isinstance(told, Unpacked):
                    waiting.append((told, self._executor.submit(read_batch, told.to_read) if told.to_read else None))
                elif told is None:
                    is_over = True
                else:
                    on_read(told)
            if waiting:
                part, reading = waiting.popleft()
                if reading is not None:
                    part.batch = reading.result()
                with suppress(OSError):
                    # Nobody listens any more where this was its last.
                    self._pipe.send(None)
                yield part

    def close(self) -> None:
        """Ends the reading, if it is not at its end."""
        self._pipe.close()
        self._other_end.close()

    def _next(self) -> Any:
        while not self._pipe.poll(TOLD_S):
            if self._reading.done():
                # Its last word may have come meanwhile; else this raises why there is none.
                self._reading.result()
        # It has its end by now: where it is ended, so is the pipe.
        self._other_end.close()
        try:
            return self._pipe.recv()
        except (EOFError, OSError):
            self._reading.result()
            raise


class _Told:
    """What the process that reads tells through the pipe, and hears."""

    def __init__(self, pipe: Connection, helpers: int) -> None:
        self._pipe, self._helpers = pipe, helpers
        self._told = time.monotonic()
        # Of each part that was told and not taken yet: whether it was handed on.
        self._waiting: deque[bool] = deque()

    def read(self, taken: int) -> None:
        if time.monotonic() > self._told + TOLD_S:
            self._told = time.monotonic()
            # Nothing is read for nobody: this raises where the other end is closed.
            self._pipe.send(taken)

    def is_free(self) -> bool:
        while self._pipe.poll():
            self._hear()
        return sum(self._waiting) < self._helpers

    def part(self, part: Unpacked) -> None:
        while len(self._waiting) >= AHEAD + self._helpers:
            self._hear()
        self._pipe.send(part)
        self._waiting.append(bool(part.to_read))

    def _hear(self) -> None:
        self._pipe.recv()
        self._waiting.popleft()


def _unpack_into(pipe: Connection, archives: list[Packed], helpers: int) -> None:
    told = _Told(pipe, helpers)
    for part in unpack(archives, told.read, told.is_free):
        told.part(part)
    pipe.send(None)
