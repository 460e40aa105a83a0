"""Errors that a user can mend: each says where, what, and the cure."""

from __future__ import annotations

from collections.abc import Iterable

SHOWN = 12
# Of names that are longer together than a few lines, the nearest must do.
SHOWN_LONG, LONG = 3, 400


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


def cure_of_writing(error: Exception) -> str:
    """What helps where something could not be written: the right to, or space."""
    denied = any(sign in str(error).lower() for sign in ("permission denied", "read-only", "readonly"))
    return "Give yourself the right to write there, or name another folder" if denied else "Free some disk space"


def counted(number: int, what: str) -> str:
    """How many of something: 1 line, 2 lines."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _in_order(name: str) -> tuple[bool, int, str]:
    # Numbers first, by size.
    return (False, int(name), "") if name.isdecimal() else (True, 0, name)


def known(names: Iterable[object], wanted: str = "", all_by: str = "") -> str:
    """The known names as one phrase, those nearest to the wanted one first, cut after twelve, long ones after three.

    `all_by` is the command that lists all: it is told where the phrase is cut.
    """
    import difflib

    listed = sorted({"unknown" if name is None else str(name) for name in names}, key=_in_order)
    # A number is not near another because they share digits.
    near = [] if wanted.isdecimal() else difflib.get_close_matches(wanted, listed, n=SHOWN, cutoff=0.5)
    ordered = near + [name for name in listed if name not in near]
    if not ordered:
        return "none"
    shown = ordered[:SHOWN]
    if sum(map(len, shown)) > LONG:
        shown = shown[:SHOWN_LONG]
    more = len(ordered) - len(shown)
    cut = f" and {more} more" + (f" ({all_by} lists them)" if all_by else "")
    return ", ".join(shown) + (cut if more > 0 else "")
