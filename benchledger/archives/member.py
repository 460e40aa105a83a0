"""A member of an archive: a log, or the reason why it cannot be read."""

from __future__ import annotations

from dataclasses import dataclass

from benchledger.archives.limits import Budget
from benchledger.archives.magic_bytes import is_text, without_compression
from benchledger.archives.problem import ArchiveError, Problem, truncated, unreadable
from benchledger.archives.streams import Source

# Where an archive is cut, a line longer than this may be cut too.
_LOOK_AHEAD = 1024 * 1024
# The part of a member that decides whether it is text.
_LOOKED_AT = 64 * 1024
CHAIN = "!/"


class MemberStream:
    """The bytes of one member, to its end or to its damage, which `problem` then describes.

    With `keep`, the part before a cut is a log of its own. It ends with the last whole line, since half a number is
    another number. So is complete data before bytes that do not belong to it.
    """

    def __init__(self, source: Source, keep: bool = False, budget: Budget | None = None) -> None:
        self._source = source
        self._budget = budget
        self._is_text: bool | None = None
        self._unpacked_bytes = 0
        self._keep = keep
        self._ahead = b""
        self._over = False
        self.bytes = 0
        self.problem: Problem | None = None

    def read(self, size: int, /) -> bytes:
        wanted = size + _LOOK_AHEAD if self._keep else size
        while not self._over and len(self._ahead) < wanted:
            try:
                more = self._source.read(wanted - len(self._ahead))
                self._check(more)
            except ArchiveError as error:
                self._fail(error.problem)
                break
            except Exception as error:  # noqa: BLE001 - whatever a decoder makes of hostile bytes costs this member only
                self._fail(unreadable(error))
                break
            self._over = not more
            self._ahead = self._ahead + more if self._ahead else more
        data, self._ahead = self._ahead[:size], self._ahead[size:]
        self.bytes += len(data)
        return data

    @property
    def kept(self) -> bool:
        """Tells whether the part before a cut counts as a log."""
        return self._keep and self.problem is not None and self.problem.kind in ("truncated", "trailing")

    def is_lost(self) -> bool:
        """Tells whether a cut left no whole line. Call it before the first read."""
        self.read(0)
        return self.kept and not self._ahead

    def _check(self, data: bytes) -> None:
        if self._is_text is None:
            head = data[:_LOOKED_AT]
            # Zeros alone would pass as text with a gap from a crash.
            self._is_text = is_text(head) and head.count(0) * 2 <= len(head)
        self._unpacked_bytes += len(data)
        if self._budget is not None and not self._is_text:
            self._budget.check_no_text(self._unpacked_bytes)

    def _fail(self, problem: Problem) -> None:
        self.problem, self._over = problem, True
        if self._keep and problem.kind != "trailing":
            self._ahead = self._ahead[: self._ahead.rfind(b"\n") + 1]


class Exactly:
    """The next `size` bytes of a source, which must exist."""

    def __init__(self, source: Source, size: int) -> None:
        self._source, self._size = source, size
        self.left = size

    def read(self, size: int, /) -> bytes:
        """Returns the next bytes. Raises Damaged if the source ends too early."""
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
    """A place in an archive.

    `chain` lists the names that lead to it, "" for the file on disk. `path` is its path below the innermost archive;
    `inner` is that archive's own name (None outside any archive).
    """

    chain: str
    path: str
    inner: str | None
    mtime_ns: int
    depth: int = 0

    def entry(self, name: str, mtime_ns: int) -> Where:
        chain = f"{self.chain}{CHAIN}{name}" if self.chain else name
        return Where(chain, name, self.path, mtime_ns, self.depth + 1)


@dataclass
class Member:
    """The contents at one place of an archive: a stream, to be read before the next member is requested, or a problem.

    `lone`: the content of a compressed file, which has no name of its own. `whole`: the problem concerns an archive,
    whose further members cannot be read.
    """

    where: Where
    size: int | None
    stream: MemberStream | None
    problem: Problem | None = None
    lone: bool = False
    whole: bool = False

    @property
    def path(self) -> str:
        """Returns its path below the innermost archive, without its compression suffix."""
        return without_compression(self.where.path) if self.lone else self.where.path
