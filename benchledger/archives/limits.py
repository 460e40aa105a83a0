"""Limits against decompression bombs: expansion ratio, total size, and nesting depth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from benchledger.archives.problem import Damaged, LimitReached, Problem

# The ratio limit begins here: small streams may expand more (the samples of an idle GPU shrink a thousandfold).
FREE_BYTES = 64 * 2**20
# The same for all bytes of one archive, so that one bomb does not use up the limit of its neighbours.
FREE_TOTAL = 2**30
# Each file, and each small frame of a stream, costs time. So many are free; each further one counts as FILE_BYTES
# against the ratio. Its entry in a zip's directory, or its header in a tar, pays for that, unless nested archives
# repeat the entries.
FREE_FILES = 1_000
FILE_BYTES = 1024
# Data that is not text holds no log lines, and profiles compress far less: it gets this fraction of the ratio.
NO_TEXT_PART = 5


@dataclass(frozen=True)
class Limits:
    """`ratio`: bytes out over bytes in; `total_bytes`: bytes out of one archive; `depth`: archives within archives."""

    ratio: int = 250
    total_bytes: int = 256 * 2**30
    depth: int = 16


class Budget:
    """Counts the bytes that came out of one archive on disk, inner layers too, against the bytes read from disk."""

    def __init__(self, limits: Limits, packed_bytes: Callable[[], int]) -> None:
        self.limits = limits
        self._packed_bytes = packed_bytes
        self.bytes = 0
        self.files = 0

    def spend(self, count: int) -> None:
        self.bytes += count
        if self.bytes > self.limits.total_bytes:
            raise LimitReached(
                Problem(
                    "bomb",
                    f"more than {self.limits.total_bytes:,} bytes came out of it, and reading stopped there",
                    "if it is no bomb, allow more with --archive-bytes",
                )
            )
        if self.bytes > FREE_TOTAL and self.bytes > FREE_TOTAL + self.limits.ratio * self._packed_bytes():
            raise LimitReached(_too_dense(self.limits, self.bytes, self._packed_bytes()))

    def spend_file(self) -> None:
        """Counts a file or a small frame that came out. Raises LimitReached."""
        self.files += 1
        if (
            self.files > FREE_FILES
            and (self.files - FREE_FILES) * FILE_BYTES > self.limits.ratio * self._packed_bytes()
        ):
            raise LimitReached(
                Problem(
                    "bomb",
                    f"{self.files:,} files or small frames came out of {self._packed_bytes():,} bytes, and reading "
                    "stopped there",
                    "if it is no bomb, allow more with --archive-ratio",
                )
            )

    def check_ratio(self, out: int, packed_bytes: int) -> None:
        """Raises Damaged if one stream expanded more than the ratio allows."""
        if out > FREE_BYTES and out > self.limits.ratio * packed_bytes:
            raise Damaged(_too_dense(self.limits, out, packed_bytes))

    def check_no_text(self, out: int) -> None:
        """Raises Damaged if a member that is not text expanded too much against all bytes read from disk so far."""
        if out > FREE_BYTES and out * NO_TEXT_PART > self.limits.ratio * self._packed_bytes():
            allowed = Limits(max(self.limits.ratio // NO_TEXT_PART, 1))
            problem = _too_dense(allowed, out, self._packed_bytes())
            raise Damaged(
                Problem(problem.kind, f"no text, and {problem.fact}", f"{problem.cure}, of which a fifth counts here")
            )


def _too_dense(limits: Limits, out: int, packed_bytes: int) -> Problem:
    return Problem(
        "bomb",
        f"{out:,} bytes came out of {packed_bytes:,}, more than {limits.ratio} times as many, "
        "and reading stopped there",
        "if it is no bomb, allow more with --archive-ratio",
    )
