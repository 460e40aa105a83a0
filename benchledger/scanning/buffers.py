"""A long log, buffer by buffer: each ends where a line does, and is still in the processor's cache when scanned."""

from __future__ import annotations

from collections.abc import Iterator

from benchledger.archives.streams import Source
from benchledger.scanning.content import Counter

# Memory that is taken anew for each 8 MB costs as much as half of the scanning; of so much the same is used again.
PART = 512 * 1024


def whole_lines(
    stream: Source, first: bytes, counter: Counter, longest: int, seeks: bool
) -> Iterator[tuple[bytes, int, int, bool]]:
    """Buffers, where their last whole line ends, and their offsets in the log, of which `first` was read already.

    What follows the last whole line comes again with the next buffer; `seeks`: by reading it again. False marks the
    beginning of a line that has more than `longest` bytes.
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
    # How long the line goes on, and what was read behind it.
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
