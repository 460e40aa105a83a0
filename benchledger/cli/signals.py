"""What Ctrl-C, SIGTERM and SIGHUP do to a command."""

from __future__ import annotations

import os
import signal
import threading
import time
from types import FrameType

# A terminal and the program that started bench may both send the same Ctrl-C.
_SAME_S = 0.3
# So long a stop waits that comes while a module is imported or a process is started.
_BUSY_S = 0.02
# A command that does not write a ledger is ended if it still runs this long after a signal.
_UNHEARD_S = 5.0
_BUSY = (f"logging{os.sep}__init__.py", "popen_spawn_posix.py")
_received: list[tuple[int, float]] = []
# The process that listens. One that it forks has its handlers too, until it sets its own.
_listening: list[int] = []
# The exit code of the command, when it is done.
_done: list[int] = []


def handle_signals() -> None:
    """Lets SIGTERM and SIGHUP stop a command as Ctrl-C does. Signals that this process was told to ignore stay so."""
    _listening[:] = [os.getpid()]
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _stop)


def end_if_unheard() -> None:
    """Ends this process if it still runs a few seconds after a signal that should stop it.

    For commands that only read, so that nothing is lost. A call of DuckDB may ignore signals for minutes.
    """
    if not _listening or not hasattr(signal, "setitimer"):
        return
    heard, wakeup = os.pipe()
    os.set_blocking(wakeup, False)
    signal.set_wakeup_fd(wakeup, warn_on_full_buffer=False)
    threading.Thread(target=_end_later, args=(heard,), daemon=True).start()


def _end_later(heard: int) -> None:
    number = 0
    while number not in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        number = os.read(heard, 1)[0]
    time.sleep(_UNHEARD_S)
    if _done:
        os._exit(_done[0])
    if signal.getsignal(number) is _stop:
        os.write(2, b"\nended at once: a running call did not react to the signal\n")
        os._exit(128 + number)


def stopped_by() -> tuple[str, int]:
    """Returns the name of what stopped this command, and its exit code: 128 and the number of the signal."""
    number = _received[0][0] if _received else signal.SIGINT
    name = "Ctrl-C" if number == signal.SIGINT else signal.Signals(number).name
    return name, 128 + number


def command_ended(code: int) -> None:
    _done[:] = [code]


def _stop(number: int, frame: FrameType | None) -> None:
    if os.getpid() not in _listening:
        os._exit(128 + number)
    if _done:
        os._exit(_done[0])
    now = time.monotonic()
    if not _received:
        if _must_wait(frame) and hasattr(signal, "setitimer"):
            # An exception there can leave the lock of all imports taken: every thread that imports would wait for ever.
            # In what logging does around a fork, it would only be printed, and the command would go on. A process that
            # is told half of its task would print a traceback.
            signal.signal(signal.SIGALRM, lambda _, later: _stop(number, later))
            signal.setitimer(signal.ITIMER_REAL, _BUSY_S)
            return
        _received.append((number, now))
        raise KeyboardInterrupt
    if now - _received[0][1] > _SAME_S:
        # Not through Python's exit, which waits for threads. The ledger is left as after a kill: nothing committed is
        # lost. Other processes end with this one.
        os.write(2, b"\nended at once; what was committed is kept\n")
        os._exit(128 + number)


def _must_wait(frame: FrameType | None) -> bool:
    while frame is not None:
        place = frame.f_code.co_filename
        if place.startswith("<frozen importlib") or place.endswith(_BUSY):
            return True
        frame = frame.f_back
    return False
