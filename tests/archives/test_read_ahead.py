"""What is read on another thread is what a source gives, in order, and what it raises."""

from __future__ import annotations

import io
import threading
from contextlib import closing

import pytest

from benchledger.archives import read_ahead
from benchledger.archives.read_ahead import ReadAhead

CONTENT = bytes(range(256)) * 40


@pytest.mark.parametrize("size", [1, 7, 64, 100, 20_000])
def test_reads_of_any_size_give_the_bytes_of_the_source(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(read_ahead, "BLOCK", 64)
    with closing(ReadAhead(io.BytesIO(CONTENT))) as ahead:
        parts = list(iter(lambda: ahead.read(size), b""))

        assert b"".join(parts) == CONTENT
        assert {len(part) for part in parts[:-1]} <= {size}
        assert ahead.read(size) == b""


def test_an_error_of_the_source_is_raised_where_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_ahead, "BLOCK", 64)

    class Broken(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            if self.tell() >= 640:
                raise ValueError("broken here")
            return super().read(size)

    with closing(ReadAhead(Broken(CONTENT))) as ahead:
        assert ahead.read(640) == CONTENT[:640]
        with pytest.raises(ValueError, match="broken here"):
            ahead.read(1)


def test_a_source_that_is_not_read_to_its_end_leaves_no_thread() -> None:
    before = threading.active_count()
    ahead = ReadAhead(io.BytesIO(CONTENT))
    ahead.read(10)
    ahead.close()

    assert threading.active_count() == before
