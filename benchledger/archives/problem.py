"""The problems of an archive or member: a kind, a fact and a cure."""

from __future__ import annotations

from dataclasses import dataclass

# `truncated`: the data ends too early. `trailing`: it is complete, and something else follows.
KINDS = (
    "encrypted", "link", "climbing", "special", "corrupt", "truncated", "trailing", "deep", "bomb", "foreign", "empty"
)  # fmt: skip


@dataclass(frozen=True)
class Problem:
    """Why a member, or the rest of an archive, cannot be read, and the cure."""

    kind: str
    fact: str
    cure: str

    def __str__(self) -> str:
        return f"{self.fact}; {self.cure}"


class ArchiveError(Exception):
    """Raised by a stream that cannot continue; the code that walks the archive turns it into a value."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


class Damaged(ArchiveError):
    """Raised for one member or archive; the archive that contains it can be read further."""


class LimitReached(ArchiveError):
    """Raised if the archive on disk as a whole has reached a limit: nothing more of it is read."""


def truncated(fact: str) -> Damaged:
    return Damaged(Problem("truncated", fact, "the rest is missing: get a whole copy"))


def trailing(fact: str) -> Damaged:
    return Damaged(Problem("trailing", fact, "what is before them was read: see what they are, or cut them off"))


def corrupt(fact: str) -> Damaged:
    return Damaged(Problem("corrupt", fact, "get a whole copy, or repack what its own tool can save"))


def unreadable(error: Exception) -> Problem:
    """Returns the problem of an error that no reader expects: also too little memory, or endless nesting."""
    what = "memory ran out" if isinstance(error, MemoryError) else f"{type(error).__name__}: {error}"[:200]
    return Problem("corrupt", f"cannot be read: {what}", "repack what its own tool can save")
