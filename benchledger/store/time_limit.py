"""Ends questions to a ledger that take too long."""

from __future__ import annotations

import faulthandler
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from threading import Event, Lock, Timer
from typing import TYPE_CHECKING

from benchledger.errors import DatabaseError

if TYPE_CHECKING:
    import duckdb

# An interrupt between two statements is lost: others follow.
_AGAIN_S = 0.2
# After so many seconds of interrupts without effect the process is ended. DuckDB ignores interrupts within one call of
# a function, for example while it computes a constant to plan a view.
_IN_VAIN_S = 5.0
# So many seconds after the limit, faulthandler ends the process: no Python thread runs while DuckDB plans a relation.
_UNPLANNED_S = 10.0
_last_resorts: list[Callable[[str], object]] = []


def set_last_resort(end_process: Callable[[str], object]) -> None:
    """Sets the function that ends the process, given a reason, if interrupts have no effect. Default: none."""
    _last_resorts[:] = [end_process]


@contextmanager
def ended_after(
    con: duckdb.DuckDBPyConnection, seconds: float, why: Callable[[duckdb.DuckDBPyConnection], str | None]
) -> Iterator[None]:
    """Ends what takes longer than this, and raises DatabaseError with what `why` returns; None: it may go on.

    `why` asks a connection of its own. Behind the block nothing uses `con`, and no thread is left: one in DuckDB's code
    while the process ends, or the connection is closed, would abort the process.
    """
    reasons: list[str] = []
    answered = Event()
    using_con = Lock()

    def end() -> None:
        with suppress(Exception):
            with using_con:
                if answered.is_set():
                    return
                own = con.cursor()
            with closing(own):
                reason = why(own)
            if reason is None:
                faulthandler.cancel_dump_traceback_later()
            in_vain = time.monotonic() + _IN_VAIN_S
            while reason is not None:
                with using_con:
                    if answered.is_set():
                        return
                    reasons[:] = [reason]
                    con.interrupt()
                if not answered.wait(_AGAIN_S) and time.monotonic() > in_vain:
                    for end_process in _last_resorts:
                        end_process(reason)

    timer = Timer(seconds, end)
    try:
        if _last_resorts:
            faulthandler.dump_traceback_later(seconds + _UNPLANNED_S, exit=True, file=2)
        timer.start()
        yield
    except BaseException as error:
        # At Ctrl-C a thread of DuckDB may go on with the question, and to close the connection would wait for it.
        with suppress(Exception):
            con.interrupt()
        if not reasons or not isinstance(error, Exception) or not _is_interrupt(error):
            raise
        raise DatabaseError(reasons[0]) from TimeoutError()
    finally:
        faulthandler.cancel_dump_traceback_later()
        answered.set()
        with using_con:
            timer.cancel()
        if timer.ident is not None:
            timer.join()


def _is_interrupt(error: BaseException | None) -> bool:
    # At Ctrl-C DuckDB raises RuntimeError. What asks DuckDB for us may only tell the text of its error.
    while error is not None:
        if "INTERRUPT Error" in str(error):
            return True
        error = error.__cause__ or error.__context__
    return False
