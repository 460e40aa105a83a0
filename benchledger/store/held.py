"""Who is told that a ledger is waited for: nobody, until a command line says where that goes."""

from __future__ import annotations

from collections.abc import Callable

# So long a wait looks like work; from then on one wants to know whom it is for.
TELL_AFTER_S = 1.0

_listeners: list[Callable[[str], None]] = []


def tell_waits_to(listener: Callable[[str], None]) -> None:
    """From here on `listener`, and no other, is told of each wait for another program, once."""
    _listeners[:] = [listener]


def tell_wait(message: str) -> None:
    """Tells who asked for it."""
    for listener in _listeners:
        listener(message)
