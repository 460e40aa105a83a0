"""What other processes and threads read, and when."""

from __future__ import annotations

import io
import threading
from pathlib import Path

from benchledger.archives.streams import Source
from benchledger.ingestion.pool import WORTH_A_PROCESS, Pool, Unit
from benchledger.ingestion.read import Batch, ToRead


def stream(source: Source) -> Unit:
    return Unit([], [ToRead("a.log", 0, None, None, source, lambda: source)], lambda batch: batch)


class ReadWhenWritten:
    """A stream that goes on when what came before has been written."""

    def __init__(self) -> None:
        self.written = threading.Event()

    def read(self, size: int, /) -> bytes:
        assert self.written.wait(5), f"{size} bytes were waited for, and what came before was not written meanwhile"
        return b""


def test_a_stream_is_read_while_what_came_before_it_is_written(tmp_path: Path) -> None:
    second = ReadWhenWritten()
    pool = Pool(frozenset(), b"key", tmp_path, jobs=2)
    read = pool.read(iter([stream(io.BytesIO(b"")), stream(second)]), WORTH_A_PROCESS)

    assert isinstance(next(read)[1], Batch)
    second.written.set()
    assert len(list(read)) == 1
    pool.close()
