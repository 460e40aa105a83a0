"""Reports that a command waits for a locked ledger, to a listener that the command line sets."""

from __future__ import annotations

from collections.abc import Callable

# A shorter wait looks like work. After this time the user wants to know the reason.
REPORT_AFTER_S = 1.0

_listeners: list[Callable[[str], None]] = []


def set_wait_listener(listener: Callable[[str], None]) -> None:
    """Makes `listener` the only listener: it gets one message per wait for another program."""
    _listeners[:] = [listener]


def report_wait(message: str) -> None:
    """Sends a message to the listener."""
    for listener in _listeners:
        listener(message)
