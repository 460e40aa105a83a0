"""Ends questions to a ledger that take too long."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Timer
from typing import TYPE_CHECKING

from benchledger.errors import DatabaseError

if TYPE_CHECKING:
    import duckdb

# An interrupt between two statements is lost: others follow.
_AGAIN_S = 0.2


@contextmanager
def ended_after(con: duckdb.DuckDBPyConnection, seconds: float, why: Callable[[], str | None]) -> Iterator[None]:
    """Ends what takes longer than this, and raises DatabaseError with what `why` returns; None: it may go on."""
    reasons: list[str] = []
    answered = Event()

    def end() -> None:
        # The connection may be closed meanwhile.
        with suppress(Exception):
            if (reason := why()) is not None:
                reasons.append(reason)
            while reasons and not answered.wait(_AGAIN_S):
                con.interrupt()

    timer = Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        yield
    except Exception:
        if not reasons:
            raise
        # Not from DuckDB's error, which looks like Ctrl-C.
        raise DatabaseError(reasons[0]) from TimeoutError()
    finally:
        answered.set()
        timer.cancel()
