"""Other processes that work for this one: it notices when one is killed, and they end when it does."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future, wait
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from benchledger.definitions.folders import own_folders, use_definitions
from benchledger.ingestion.transfer import OpenFiles, send_files_to

if TYPE_CHECKING:
    import socket
    from multiprocessing.connection import Connection

T = TypeVar("T")

# Seconds between two calls of `meanwhile` during a wait for another process.
MEANWHILE_S = 0.2
# So long the executor may take to notice by itself that a process was killed.
_NOTICED_S = 1.0
# So long its thread may take to end when all processes are killed.
_ENDED_S = 10.0


class Processes:
    """An executor of some processes. `open_files` has the open files that they send."""

    def __init__(
        self, count: int, begin: Callable[..., None], *arguments: Any, how: str, most_tasks: int | None = None
    ) -> None:
        """Each process calls `begin` with the arguments first. `how`: fork or spawn; `most_tasks` of one process."""
        # Not imported where one process reads.
        import multiprocessing
        from concurrent.futures import ProcessPoolExecutor

        self.open_files = OpenFiles()
        # While our end is open, the other processes live.
        their_end, self._open_end = multiprocessing.Pipe(duplex=False)
        self.executor = ProcessPoolExecutor(
            count,
            multiprocessing.get_context(how),
            _begin,
            ((their_end, self._open_end), self.open_files.way_here, own_folders(), begin, arguments),
            max_tasks_per_child=most_tasks,
        )
        self._killed_at: float | None = None

    def submit(self, work: Callable[..., T], *arguments: Any) -> Future[T]:
        """Raises BrokenExecutor if a process was killed, here and when the result is asked for."""
        return self.executor.submit(work, *arguments)

    def result(self, future: Future[T], meanwhile: Callable[[], None]) -> T:
        """Waits for a result, and calls `meanwhile` some times a second. Raises BrokenExecutor as above."""
        while not wait([future], MEANWHILE_S).done:
            meanwhile()
            self.notice_killed()
        return future.result()

    def notice_killed(self) -> None:
        """Lets the executor notice a killed process; to be called again and again during a wait.

        It does by itself, unless the process ended in the middle of a message: then it waits for the rest for ever.
        """
        from multiprocessing import connection

        there = [process.sentinel for process in list((self.executor._processes or {}).values())]
        if not connection.wait(there, 0):
            self._killed_at = None
        elif self._killed_at is None:
            self._killed_at = time.monotonic()
        elif time.monotonic() > self._killed_at + _NOTICED_S:
            self._kill()

    def close(self) -> None:
        """Ends the processes, also one that still works or starts."""
        self._open_end.close()
        self._kill()
        noticing: Any = self.executor._executor_manager_thread
        self.executor.shutdown(wait=False, cancel_futures=True)
        if noticing is not None:
            # Python's exit writes to a pipe that this thread closes: not both at once.
            noticing.join(_ENDED_S)
        self.open_files.close()

    def _kill(self) -> None:
        # While this process too can write to the pipe, nobody would see the end of half a message.
        results: Any = self.executor._result_queue
        if results is not None:
            results._writer.close()
        for process in list((self.executor._processes or {}).values()):
            process.kill()


def how_to_start() -> str:
    """How a process starts soonest: fork is by far the quickest, and safe only while this is the one thread."""
    # DuckDB has no threads while it is closed.
    return "fork" if sys.platform == "linux" and len(os.listdir("/proc/self/task")) == 1 else "spawn"


def _begin(
    ends: tuple[Connection, Connection],
    way_back: socket.socket,
    definitions: Iterable[Path | str],
    begin: Callable[..., None],
    arguments: tuple[Any, ...],
) -> None:
    parent, other_end = ends
    other_end.close()
    # At once, whatever this process does then.
    threading.Thread(target=end_with, args=(parent,), daemon=True).start()
    send_files_to(way_back)
    use_definitions(*definitions)
    begin(*arguments)


def end_with(parent: Connection) -> None:
    """Ends this process when the one that has the other end of the pipe has ended."""
    # Nothing is ever sent through this pipe.
    parent.poll(None)
    os._exit(1)
