"""The process of a command: Ctrl-C and SIGTERM, limits on memory, and imports that it blocks."""

from __future__ import annotations

import os
import signal
import sys
import time
from types import FrameType
from typing import TYPE_CHECKING

from benchledger.errors import BenchledgerError

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import ModuleType


# A terminal and the program that started bench may both send the same Ctrl-C.
_SAME_S = 0.3
# So long a stop waits that comes while a module is imported or a process is started.
_BUSY_S = 0.02
_BUSY = (f"logging{os.sep}__init__.py", "popen_spawn_posix.py")
_received: list[tuple[int, float]] = []
# The process that listens. One that it forks has its handlers too, until it sets its own.
_listening: list[int] = []
# The exit code of the command, when it is done.
_done: list[int] = []
MIB = 1 << 20
# Address space that a command takes with two CPUs, and for each more: most of it is reserved by threads, not used. An
# ingest of small logs takes 2.7 GiB, an audit 3.0 GiB.
NEEDED, PER_CPU = 3 << 30, 64 * MIB
_OPTIONS = {"RLIMIT_AS": "-v", "RLIMIT_DATA": "-d"}
# DuckDB checks every parameter, and pyarrow every list, for numpy and pandas values, and imports them for that: half a
# second in all, as long as most commands take. DuckDB also looks for pyarrow's datasets.
BLOCKED = frozenset({"numpy", "pandas", "pyarrow.dataset"})
# Type names of DuckDB that no command uses. For them its import opens a database in memory and reads the installed
# packages: half of its 120 ms. Every name in these modules is None.
EMPTY = frozenset({"duckdb._dbapi_type_object", "duckdb._version"})


def handle_signals() -> None:
    """Lets SIGTERM and SIGHUP stop a command as Ctrl-C does. Signals that this process was told to ignore stay so."""
    _listening[:] = [os.getpid()]
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _stop)


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


def check_memory_limit() -> None:
    """Raises BenchledgerError if the shell limits memory to less than a command needs.

    Libraries end the process where they get no memory: nothing could be told then.
    """
    try:
        import resource
    except ImportError:
        # Windows has no such limits.
        return
    needed = NEEDED + PER_CPU * max((os.cpu_count() or 1) - 2, 0)
    for name, option in _OPTIONS.items():
        limit, _ = resource.getrlimit(getattr(resource, name))
        if limit != resource.RLIM_INFINITY and limit < needed:
            raise BenchledgerError(
                f"memory is limited to {limit // MIB:,} MiB (ulimit {option}), but a command reserves up to "
                f"{needed // MIB:,} MiB of addresses, most of which it does not use. Raise the limit: ulimit {option} "
                f"unlimited. A limit of the container or of systemd (MemoryMax) counts only the memory in use"
            )


def is_out_of_memory(error: BaseException | None) -> bool:
    """Tells whether an error, or one that it comes of, is the lack of memory or of threads."""
    while error is not None:
        # DuckDB is not imported for that.
        if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryException":
            return True
        if any(sign in str(error) for sign in ("can't start new thread", "failed to map segment")):
            return True
        error = error.__cause__ or error.__context__
    return False


class _Blocker:
    """An import finder that reports blocked modules as not installed."""

    def find_spec(self, name: str, *_: object) -> ModuleSpec | None:
        if name in BLOCKED:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        if name not in EMPTY:
            return None
        from importlib.machinery import ModuleSpec

        return ModuleSpec(name, self)  # type: ignore[arg-type]  # this class has all methods that a loader needs

    def create_module(self, _: ModuleSpec) -> None:
        """Returns None: Python makes the module."""

    def exec_module(self, module: ModuleType) -> None:
        module.__dict__["__getattr__"] = _nothing
        if module.__name__ == "duckdb._version":
            from _duckdb import __version__

            # Package and engine have the same version.
            module.__dict__.update(__version__=__version__, __duckdb_version__=__version__)


def _nothing(name: str) -> None:
    if name.startswith("__"):
        raise AttributeError(name)


def block_imports() -> None:
    """Makes pandas and numpy appear as not installed, for the rest of this process.

    Only for a process that is a command.
    """
    sys.meta_path.insert(0, _Blocker())


def allow_imports() -> None:
    """Ends block_imports, for a command whose library needs these modules."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, _Blocker)]
