"""Errors that a user can mend: each says where, what, and the cure."""

from __future__ import annotations

from collections.abc import Iterable

SHOWN = 12


class BenchledgerError(Exception):
    """An error with a message for the user and the exit code that a command ends with."""

    exit_code = 1


class DefinitionError(BenchledgerError):
    """A definition file (format, names, rule, vocabulary, query) is wrong; the message begins with file:line."""

    exit_code = 2


class UsageError(BenchledgerError):
    """A command or call was given something that it cannot use."""

    exit_code = 2


class DatabaseError(BenchledgerError):
    """The database cannot be used as it is: newer version, not a database, full disk."""


class DatabaseHeldError(DatabaseError):
    """Another process holds the database."""

    exit_code = 3


class NothingFoundError(BenchledgerError):
    """The question was right and the ledger holds no answer; the message says what it holds instead."""


def known(names: Iterable[object], wanted: str = "") -> str:
    """The known names as one phrase, those nearest to the wanted one first, cut after twelve."""
    import difflib

    listed = sorted({"unknown" if name is None else str(name) for name in names})
    near = difflib.get_close_matches(wanted, listed, n=SHOWN, cutoff=0.5)
    ordered = near + [name for name in listed if name not in near]
    if not ordered:
        return "none"
    more = len(ordered) - SHOWN
    return ", ".join(ordered[:SHOWN]) + (f" and {more} more" if more > 0 else "")
