"""Errors that a user can mend: each says where, what, and the cure."""

from __future__ import annotations


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
