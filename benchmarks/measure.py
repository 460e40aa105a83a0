"""Runs a command and says how long it took and how much memory its processes held at the most."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

SAMPLE_EVERY_S = 0.1


@dataclass(frozen=True)
class Measured:
    """`cpu`: processor seconds of all processes.

    `tree_mib`: all processes, shared pages counted once (None off Linux); `largest_mib`: the largest process.
    """

    seconds: float
    cpu: float
    tree_mib: float | None
    largest_mib: float
    stdout: str


def run(command: Sequence[str | Path], environment: dict[str, str] | None = None, memory: bool = False) -> Measured:
    """Runs to the end; stops the benchmark with the command's own words if it fails."""
    words = [str(word) for word in command]
    peak = [0]
    done = threading.Event()
    started = time.perf_counter()
    process = subprocess.Popen(
        words,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # Modules are compiled once, as where a user installed them.
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "", **(environment or {})},
    )
    watcher = threading.Thread(target=_watch, args=(process.pid, done, peak))
    if memory:
        watcher.start()
    readers = [_Reader(process.stdout), _Reader(process.stderr)]
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    done.set()
    if memory:
        watcher.join()
    stdout, stderr = (reader.text() for reader in readers)
    if process.returncode:
        sys.exit(f"{' '.join(words)}: ended with {process.returncode}\n{stdout}{stderr}")
    # ru_maxrss is in KiB on Linux, in bytes on macOS.
    largest = usage.ru_maxrss / (1024 * 1024 if sys.platform == "darwin" else 1024)
    return Measured(seconds, usage.ru_utime + usage.ru_stime, peak[0] / 1024 or None, largest, stdout)


class _Reader(threading.Thread):
    """Empties a pipe while the process runs, so that a full one does not stop it."""

    def __init__(self, pipe: object) -> None:
        super().__init__(daemon=True)
        self._pipe = pipe
        self._bytes = b""
        self.start()

    def run(self) -> None:
        self._bytes = self._pipe.read()  # type: ignore[attr-defined]

    def text(self) -> str:
        self.join()
        return self._bytes.decode(errors="replace")


def _watch(root: int, done: threading.Event, peak: list[int]) -> None:
    while not done.wait(SAMPLE_EVERY_S):
        peak[0] = max(peak[0], sum(_pss_kib(process) for process in _tree(root)))


def _tree(root: int) -> list[int]:
    """The process and all that descend from it; empty where there is no /proc."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            after_name = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # ended while we looked
        children.setdefault(int(after_name[1]), []).append(int(stat.parent.name))
    found, to_see = [], [root]
    while to_see:
        process = to_see.pop()
        found.append(process)
        to_see += children.get(process, [])
    return found if children else []


def _pss_kib(process: int) -> int:
    """Proportional set size: a page that n processes share counts 1/n in each."""
    try:
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1])
    except OSError:
        pass  # ended while we looked
    return 0
