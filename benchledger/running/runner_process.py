"""Runs one program as its own process group: output to a file, a time limit, signals passed on."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FrameType

from benchledger.running.failure import TIMED_OUT, Exit, signal_name

# Seconds for a runner to end by itself, before it is killed.
GRACE_S = 15.0
_PASSED_ON = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def run_process(
    words: Sequence[str],
    log: Path,
    *,
    env: dict[str, str],
    timeout_s: float | None = None,
    started: Callable[[int], None] | None = None,
) -> Exit:
    """Runs a command line to its end, with all its output in `log`.

    A signal that this process receives meanwhile is passed on, and recorded in the Exit. `started` is called with the
    process id.
    """
    begun = time.monotonic()
    with log.open("wb") as out, _noted_signals() as received:
        try:
            process = subprocess.Popen(
                [os.path.expandvars(word) for word in words],
                stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, start_new_session=True,
                env={**os.environ, **env, "BENCH_STARTED_AT": repr(time.time())},
            )  # fmt: skip
        except OSError as error:
            out.write(f"bench run: {words[0]} cannot be started: {error.strerror}\n".encode())
            return Exit(127, seconds=time.monotonic() - begun)
        if started is not None:
            started(process.pid)
        timed_out = _wait(process, received, begun, timeout_s)
        # Ends data workers, and other ranks if one was killed.
        _signal_group(process, signal.SIGKILL)
    code, seconds = process.returncode, time.monotonic() - begun
    sent = received[0] if received else None
    if timed_out and sent is None:
        return Exit(
            TIMED_OUT if code >= 0 else 128 - code, signal_name(-code) if code < 0 else "SIGTERM", timeout_s, seconds
        )
    if sent is not None:
        # The program may exit with 0 after the signal, but its run is not complete.
        return Exit(
            128 - code if code < 0 else code or 128 + sent, signal_name(sent), seconds=seconds, interrupted=True
        )
    if code < 0:
        return Exit(128 - code, signal_name(-code), seconds=seconds)
    return Exit(code, seconds=seconds)


def _wait(process: subprocess.Popen[bytes], received: list[int], begun: float, timeout_s: float | None) -> bool:
    """Waits for the end, and ends the process after a signal or the time limit.

    Returns whether the limit was reached.
    """
    ending: float | None = None
    timed_out = False
    while True:
        now = time.monotonic()
        if ending is None:
            timed_out = timeout_s is not None and now - begun >= timeout_s
            if received or timed_out:
                _signal_group(process, received[0] if received else signal.SIGTERM)
                ending = now
        elif now - ending >= GRACE_S:
            _signal_group(process, signal.SIGKILL)
            process.wait()
            return timed_out
        left = [1.0]
        if ending is not None:
            left.append(ending + GRACE_S - now)
        elif timeout_s is not None:
            left.append(begun + timeout_s - now)
        try:
            process.wait(timeout=max(0.01, min(left)))
        except subprocess.TimeoutExpired:
            continue
        return timed_out


def _signal_group(process: subprocess.Popen[bytes], number: int) -> None:
    # The group has the id of its first process, and exists while any process of it does.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


@contextlib.contextmanager
def _noted_signals() -> Iterator[list[int]]:
    """Records signals instead of letting them end this process in the middle of a run."""
    received: list[int] = []

    def note(number: int, _frame: FrameType | None) -> None:
        received.append(number)

    before = {}
    # Only the main thread can set signal handlers.
    with contextlib.suppress(ValueError):
        for number in _PASSED_ON:
            before[number] = signal.signal(number, note)
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
