"""Reads a long log in buffers of whole lines, small enough for the processor's cache."""

from __future__ import annotations

from collections.abc import Iterator

from benchledger.archives.streams import Source
from benchledger.scanning.content import Counter

# Allocating 8 MB per buffer costs half as much as the scanning; memory of this size is reused.
PART = 512 * 1024


def whole_lines(
    stream: Source, first: bytes, counter: Counter, longest: int, seeks: bool
) -> Iterator[tuple[bytes, int, int, bool]]:
    """Yields buffers, the end of their last whole line, and their offsets in the log; `first` was read already.

    The rest behind the last whole line comes again with the next buffer; `seeks`: by reading it again. The last value
    is False for the beginning of a line of more than `longest` bytes.
    """
    data, base, size = first, 0, longest
    while data:
        last = len(data) < size
        end = len(data) if last else _behind_last_line(data)
        if not end and size < longest:
            data, size = data + stream.read(longest - size), longest
            continue
        counter.count(memoryview(data)[: end or len(data)])
        yield data, end or len(data), base, end > 0
        if last:
            return
        if end:
            base += end
            tail = data[end:]
        else:
            length, tail = _rest_of_line(stream, counter, longest)
            base += len(data) + length
        size = max(min(PART, longest), len(tail))
        data = _joined(stream, tail, size, seeks)


def _behind_last_line(data: bytes) -> int:
    newline = data.rfind(b"\n")
    return max(newline, data.rfind(b"\r", newline + 1)) + 1


def _joined(stream: Source, tail: bytes, size: int, seeks: bool) -> bytes:
    if not seeks:
        return tail + stream.read(size - len(tail))
    stream.seek(-len(tail), 1)  # type: ignore[attr-defined]
    return stream.read(size)


def _rest_of_line(stream: Source, counter: Counter, longest: int) -> tuple[int, bytes]:
    # The length of the rest of the line, and the bytes read behind it.
    length = 0
    while chunk := stream.read(longest):
        cut = _first_cut(chunk)
        counter.count(chunk if cut < 0 else memoryview(chunk)[:cut])
        length += len(chunk) if cut < 0 else cut
        if cut >= 0:
            return length, chunk[cut:]
    return length, b""


def _first_cut(chunk: bytes) -> int:
    found = [at for at in (chunk.find(b"\n"), chunk.find(b"\r")) if at >= 0]
    return min(found, default=-1)
