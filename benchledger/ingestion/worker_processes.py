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
# Seconds in which the executor should notice a killed process itself.
_NOTICED_S = 1.0
# Seconds in which its thread should end after all processes are killed.
_ENDED_S = 10.0


class Processes:
    """A pool of processes. `open_files` receives the open files that they send."""

    def __init__(
        self, count: int, begin: Callable[..., None], *arguments: Any, how: str, most_tasks: int | None = None
    ) -> None:
        """Each process first calls `begin`. `how`: fork or spawn. A process is replaced after `most_tasks` tasks."""
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
            ((their_end, self._open_end), self.open_files.worker_socket, own_folders(), begin, arguments),
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
            self.look_after()
        return future.result()

    def look_after(self) -> None:
        """Lets the executor notice a killed process, and takes the files that were sent; called again during a wait.

        The executor notices it itself, unless the process was killed within a message: then it waits for the rest.
        """
        from multiprocessing import connection

        # The process that is waited for may wait for its turn to send a file.
        self.open_files.receive()
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
            # Python's exit writes to a pipe that this thread closes: the thread must end first.
            noticing.join(_ENDED_S)
        self.open_files.close()

    def _kill(self) -> None:
        # While this process can write to the pipe, the reader of half a message sees no end of it.
        results: Any = self.executor._result_queue
        if results is not None:
            results._writer.close()
        for process in list((self.executor._processes or {}).values()):
            process.kill()


def start_method() -> str:
    """The fastest safe way to start a process: fork if this process has one thread, else spawn."""
    # DuckDB has no threads while it is closed.
    return "fork" if sys.platform == "linux" and len(os.listdir("/proc/self/task")) == 1 else "spawn"


def _begin(
    ends: tuple[Connection, Connection],
    parent_socket: socket.socket,
    definitions: Iterable[Path | str],
    begin: Callable[..., None],
    arguments: tuple[Any, ...],
) -> None:
    parent, other_end = ends
    other_end.close()
    # First of all: from now on this process ends with its parent.
    threading.Thread(target=end_with, args=(parent,), daemon=True).start()
    send_files_to(parent_socket)
    use_definitions(*definitions)
    begin(*arguments)


def end_with(parent: Connection) -> None:
    """Ends this process when the one that has the other end of the pipe has ended."""
    # Nothing is ever sent through this pipe.
    parent.poll(None)
    os._exit(1)


def end_with_parent() -> None:
    """Ends this spawned process when its parent has ended, however: otherwise it would wait for ever for work."""
    from multiprocessing import connection, parent_process

    parent = parent_process()
    if parent is not None:
        threading.Thread(target=lambda: connection.wait([parent.sentinel]) and os._exit(1), daemon=True).start()
