"""Reads a source on a thread, so that decompression runs beside the work on its bytes."""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor

from benchledger.archives.streams import Source

# Number and size of the blocks that are read ahead.
BLOCKS, BLOCK = 2, 4 * 2**20


class ReadAhead:
    """Returns the bytes of a source, and raises its exceptions, in order.

    No other code may read the source before `close`.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._thread = ThreadPoolExecutor(1)
        self._ahead: deque[Future[bytes]] = deque()
        self._block = memoryview(b"")
        self._over = False

    def read(self, size: int, /) -> bytes:
        parts: list[memoryview] = []
        while size > 0 and (self._block or self._next()):
            parts.append(self._block[:size])
            size -= len(parts[-1])
            self._block = self._block[len(parts[-1]) :]
        return b"".join(parts)

    def close(self) -> None:
        """Waits for the block that is being read."""
        self._thread.shutdown(cancel_futures=True)

    def _next(self) -> bool:
        while not self._over and len(self._ahead) < BLOCKS:
            self._ahead.append(self._thread.submit(self._source.read, BLOCK))
        if not self._over:
            self._block = memoryview(self._ahead.popleft().result())
            self._over = not self._block
        return not self._over
