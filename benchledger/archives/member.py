"""A member of an archive: a log in it, or what could not be read of it."""

from __future__ import annotations

from dataclasses import dataclass

from benchledger.archives.kinds import is_text, without_compression
from benchledger.archives.limits import Budget
from benchledger.archives.problem import Damaged, Problem, truncated
from benchledger.archives.streams import Source

# A line that is longer than this may be cut where its archive is.
_LOOK_AHEAD = 1024 * 1024
# Whether it is text is told by its beginning.
_LOOKED_AT = 64 * 1024
CHAIN = "!/"


class MemberStream:
    """The bytes of one member. It ends where the member ends, or where it is damaged: `problem` then says how.

    With `keep`, what came before a cut is the log as far as it goes: it ends with the last whole line, since half a
    number is another number.
    """

    def __init__(self, source: Source, keep: bool = False, budget: Budget | None = None) -> None:
        self._source = source
        self._budget = budget
        self._is_text: bool | None = None
        self._taken = 0
        self._keep = keep
        self._ahead = b""
        self._over = False
        self.bytes = 0
        self.problem: Problem | None = None

    def read(self, size: int, /) -> bytes:
        """The next bytes: as many as asked for, fewer only at the end."""
        wanted = size + _LOOK_AHEAD if self._keep else size
        while not self._over and len(self._ahead) < wanted:
            try:
                more = self._source.read(wanted - len(self._ahead))
                self._check(more)
            except Damaged as damage:
                self._fail(damage.problem)
                break
            self._over = not more
            self._ahead = self._ahead + more if self._ahead else more
        data, self._ahead = self._ahead[:size], self._ahead[size:]
        self.bytes += len(data)
        return data

    @property
    def kept(self) -> bool:
        """Whether what was read stands as a log of its own although the rest is missing."""
        return self._keep and self.problem is not None and self.problem.kind == "truncated"

    def is_lost(self) -> bool:
        """Whether a cut left no whole line; asked before anything is read."""
        self.read(0)
        return self.kept and not self._ahead

    def _check(self, data: bytes) -> None:
        if self._is_text is None:
            head = data[:_LOOKED_AT]
            # Zeros alone would pass as the gap that a crash leaves in a text.
            self._is_text = is_text(head) and head.count(0) * 2 <= len(head)
        self._taken += len(data)
        if self._budget is not None and not self._is_text:
            self._budget.check_no_text(self._taken)

    def _fail(self, problem: Problem) -> None:
        self.problem, self._over = problem, True
        if self._keep:
            self._ahead = self._ahead[: self._ahead.rfind(b"\n") + 1]


class Exactly:
    """The next `size` bytes of a source, which must be there."""

    def __init__(self, source: Source, size: int) -> None:
        self._source, self._size = source, size
        self.left = size

    def read(self, size: int, /) -> bytes:
        """The next bytes. Raises Damaged if the source ends before."""
        wanted = min(size, self.left)
        data = self._source.read(wanted) if wanted else b""
        self.left -= len(data)
        if len(data) < wanted:
            if data:
                return data
            raise truncated(f"cut off: {self._size - self.left:,} of its {self._size:,} bytes are there")
        return data


@dataclass(frozen=True)
class Where:
    """A place in an archive. `chain`: the names that lead to it, "" for the file on disk itself.

    `path` is its path below the innermost archive, whose own name is `inner` (None outside of any archive).
    """

    chain: str
    path: str
    inner: str | None
    mtime_ns: int
    depth: int = 0

    def entry(self, name: str, mtime_ns: int) -> Where:
        """The place of an entry of the archive that is here."""
        chain = f"{self.chain}{CHAIN}{name}" if self.chain else name
        return Where(chain, name, self.path, mtime_ns, self.depth + 1)


@dataclass
class Member:
    """What an archive holds at one place: a stream to be read before the next member is asked for, or a problem.

    `lone`: it is what a compressed file holds, and has no name of its own. `whole`: the problem is that of an archive,
    whose further members could not be read.
    """

    where: Where
    size: int | None
    stream: MemberStream | None
    problem: Problem | None = None
    lone: bool = False
    whole: bool = False

    @property
    def path(self) -> str:
        """Its path below the innermost archive, without the suffix of its compression."""
        return without_compression(self.where.path) if self.lone else self.where.path
