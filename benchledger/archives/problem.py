"""What can be wrong with an archive or a member: a value with a kind, a fact and a cure."""

from __future__ import annotations

from dataclasses import dataclass

# Of these a member or archive can have one. `truncated`: it ends before its end.
KINDS = ("encrypted", "link", "climbing", "special", "corrupt", "truncated", "deep", "bomb", "foreign", "empty")


@dataclass(frozen=True)
class Problem:
    """Why a member, or the rest of an archive, could not be read: what is so, and what helps."""

    kind: str
    fact: str
    cure: str

    def __str__(self) -> str:
        return f"{self.fact}; {self.cure}"


class Damaged(Exception):
    """Raised by a stream that cannot go on; whoever walks the archive makes a value of it."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


class LimitReached(Damaged):
    """The whole archive on disk has reached a limit: nothing more of it is read."""


def truncated(fact: str) -> Damaged:
    """The damage of something that ends too early."""
    return Damaged(Problem("truncated", fact, "the rest is missing: get a whole copy"))


def corrupt(fact: str) -> Damaged:
    """The damage of something whose bytes are not what they should be."""
    return Damaged(Problem("corrupt", fact, "get a whole copy, or repack what its own tool can save"))
