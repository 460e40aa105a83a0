"""Guards the reading of one file: a failure or an endless reading costs that file only."""

from __future__ import annotations

import errno
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from benchledger.errors import BenchledgerError

# Seconds of processor time that a file may take, and more for each MB: the slowest reader takes half a second.
BASE_S = 60.0
S_PER_MB = 5.0
# The size that a server claims may be longer than any timer.
_MOST_S = 1e6
# Seconds between two calls of `meanwhile`.
_TURN_S = 0.05
_MB = 1024 * 1024
# The disk of the ledger is full: no fault of the file.
_DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class TooSlowError(Exception):
    """A file took more processor time than its size explains."""


class ReadGuard:
    """Tells the failure of a file from an error that must end the reading, and limits the time of a file."""

    def __init__(self, meanwhile: Callable[[], None]) -> None:
        self._meanwhile = meanwhile
        self._next_turn = 0.0
        self._ended_by: BaseException | None = None
        self._seconds = 0.0
        # Signals reach the main thread only; Windows has no timer of processor time.
        self._is_timed = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()

    def meanwhile(self) -> None:
        """Calls `meanwhile` with the timer stopped, then restarts it: each part of a long log gets the whole time."""
        if time.monotonic() < self._next_turn:
            return
        self._set(0)
        try:
            self._meanwhile()
        except BaseException as error:
            self._ended_by = error
            raise
        self._next_turn = time.monotonic() + _TURN_S
        self._set(self._seconds)

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Within this context, a file that takes too long after `begin` raises TooSlowError."""
        if not self._is_timed:
            yield
            return
        before = signal.signal(signal.SIGVTALRM, _too_slow)
        try:
            yield
        finally:
            self.begin(None)
            signal.signal(signal.SIGVTALRM, before)

    def begin(self, size: int | None) -> None:
        """Starts the timer for a file of this size; None stops it."""
        self._seconds = 0.0 if size is None else min(BASE_S + S_PER_MB * size / _MB, _MOST_S)
        self._set(self._seconds)

    def reason(self, error: Exception) -> str | None:
        """Returns why a file cannot be read; None if the error does not come of the file, and must end the reading."""
        self.begin(None)
        if error is self._ended_by or isinstance(error, BenchledgerError):
            return None
        if isinstance(error, MemoryError):
            return "cannot be read: memory ran out"
        if isinstance(error, TooSlowError):
            return str(error)
        if isinstance(error, OSError):
            return None if is_disk_full(error) else f"cannot be read: {error.strerror or error}"
        return f"cannot be read: {type(error).__name__}: {error}"[:300]

    def _set(self, seconds: float) -> None:
        if self._is_timed:
            signal.setitimer(signal.ITIMER_VIRTUAL, seconds)


def is_disk_full(error: OSError) -> bool:
    """Tells whether a file could not be written for lack of space, or because of a limit on its size."""
    return error.errno in _DISK_FULL


def _too_slow(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - a signal handler gets them
    raise TooSlowError(
        f"reading it took more than {BASE_S:g} s and {S_PER_MB:g} s per MB, and was aborted; "
        f"please report it with the lines that take so long"
    )
