"""A source that is read on a thread of its own: its inflating runs beside what is done with its bytes."""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor

from benchledger.archives.streams import Source

# So many blocks of so many bytes wait to be asked for.
BLOCKS, BLOCK = 2, 4 * 2**20


class ReadAhead:
    """Gives the bytes of a source, and raises what it raises, in order. Nobody else may read it before it is closed."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._thread = ThreadPoolExecutor(1)
        self._ahead: deque[Future[bytes]] = deque()
        self._block = memoryview(b"")
        self._over = False

    def read(self, size: int, /) -> bytes:
        """The next bytes: as many as asked for, fewer only at the end."""
        parts: list[memoryview] = []
        while size > 0 and (self._block or self._next()):
            parts.append(self._block[:size])
            size -= len(parts[-1])
            self._block = self._block[len(parts[-1]) :]
        return b"".join(parts)

    def close(self) -> None:
        """Waits for what is being read."""
        self._thread.shutdown(cancel_futures=True)

    def _next(self) -> bool:
        while not self._over and len(self._ahead) < BLOCKS:
            self._ahead.append(self._thread.submit(self._source.read, BLOCK))
        if not self._over:
            self._block = memoryview(self._ahead.popleft().result())
            self._over = not self._block
        return not self._over
