"""Names the program that locks a ledger, and reports the wait for it to a listener that the command line sets."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from benchledger.errors import DatabaseHeldError

if TYPE_CHECKING:
    from pathlib import Path

_HOLDER = re.compile(r"lock is held in (?P<program>.+?) \(PID (?P<pid>\d+)\)")
# A shorter wait looks like work. After this time the user wants to know the reason.
REPORT_AFTER_S = 1.0

_listeners: list[Callable[[str], None]] = []


def set_wait_listener(listener: Callable[[str], None]) -> None:
    """Makes `listener` the only listener: it gets one message per wait for another program."""
    _listeners[:] = [listener]


def report_wait(message: str) -> None:
    for listener in _listeners:
        listener(message)


def held_error(place: Path, holder: str | None, wait_s: float, *, read_only: bool) -> DatabaseHeldError:
    """The error of a ledger that was locked for too long, by `holder` or in another mode by this process."""
    if holder is None:
        return DatabaseHeldError(
            f"{place}: this process has it open in another mode: close that connection first, or query a copy"
        )
    longer = "" if read_only else ", wait longer (--wait N)"
    return DatabaseHeldError(
        f"{place}: held by {holder}, waited {wait_s:g} s. Close that program{longer}, or query a copy of the file; "
        f"`bench sql` releases it after each query"
    )


def holder_in(error: Exception) -> str | None:
    """Returns the program that locks the file by DuckDB's error; None for another error."""
    # DuckDB has no exception class for a locked file, only the message.
    message = str(error)
    if match := _HOLDER.search(message):
        return f"{match['program']} (PID {match['pid']})"
    if "Could not set lock" in message or "being used by another process" in message:
        return "another process"
    return None
