"""Limits on memory: told before a command begins, and when memory runs out."""

from __future__ import annotations

import os

from benchledger.errors import BenchledgerError

MIB = 1 << 20
# Address space that a command takes with two CPUs, and for each more: most of it is reserved by threads, not used. An
# ingest of small logs takes 2.7 GiB, an audit 3.0 GiB.
NEEDED, PER_CPU = 3 << 30, 64 * MIB
_OPTIONS = {"RLIMIT_AS": "-v", "RLIMIT_DATA": "-d"}


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
