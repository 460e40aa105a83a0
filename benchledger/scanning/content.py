"""The content of a log: its hash, which identifies it, and its size; reads long logs in buffers of whole lines."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass

import xxhash

from benchledger.archives.streams import Source
from benchledger.definitions.log_format import LogFormat
from benchledger.definitions.vocabulary import vocabulary

SMALL = 1024 * 1024
# Allocating 8 MB per buffer costs half as much as the scanning; memory of this size is reused.
PART = 512 * 1024
# The last number of a log, perhaps with the beginning of its unit (`251.0 m` of `251.0 ms`), and the mark behind it.
# The seconds of `0:31:00` are whole.
_LAST_NUMBER = re.compile(
    rb"(?<![A-Za-z0-9_.])(?!(?<=:[0-5][0-9]:)[0-5][0-9]\Z)"
    rb"([+-]?\.?[0-9][0-9.,]*(?:[eE][+-]?[0-9]*)?|[+-]?inf|[+-]?nan)[ \t]*[kKMGTmun]?[ \t]*\Z"
)
_PREFIXES = ("k", "K", "M", "G", "T", "m", "u", "n")
_LAST_UNIT = re.compile(
    rb"(?<![A-Za-z0-9_.])([+-]?\.?[0-9][0-9.,]*(?:[eE][+-]?[0-9]+)?)[ \t]*([^0-9\s][^0-9\r\n]{0,31}?)[ \t]*\Z"
)
_DIGITS = re.compile(rb"[0-9]+")
_LINE_ENDS = re.compile(rb"[\r\n]+")
# The last line is compared with those in so many bytes before it; so many that are alike count.
_NEAR, _ALIKE = 65_536, 8
# A double that is cut behind so many digits is the same but for its rounding.
_ALL_DIGITS = 15
_CUT = "\N{HORIZONTAL ELLIPSIS}".encode()


@dataclass(frozen=True)
class Previous:
    """An older content at the same place; a new one that begins with all of it supersedes it."""

    bytes: int
    content_hash: str


def log_id_of(content_hash: str) -> int:
    """Returns the first 63 bits of a content hash (32 hex digits)."""
    return int(content_hash[:16], 16) >> 1


def content_hash(data: bytes | memoryview, name: str = "") -> str:
    """Returns the hash that identifies a log: xxh3-128 of its decompressed bytes, as hex.

    `name`: the part of the path that belongs to the content (scanning/trackers/named_files.py), empty for most files.
    """
    return xxhash.xxh3_128_hexdigest(_salt(name) + data if name else data)


def _salt(name: str) -> bytes:
    return name.encode("utf-8", "surrogatepass") + b"\0"


def small_content(path: str, size: int) -> bytes | None:
    """Returns the content of a file that probably has this size; None if it is larger than SMALL.

    Raises OSError.
    """
    if size > SMALL:
        return None
    # A file object makes three more system calls. What became a pipe since then must not be waited for.
    file = os.open(path, os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_BINARY", "O_CLOEXEC", "O_NONBLOCK")))
    try:
        content = part = os.read(file, size + 1)
        while part and len(content) != size:
            # The file has grown or shrunk since its size was read.
            if len(content) > SMALL:
                return None
            part = os.read(file, SMALL)
            content += part
    finally:
        os.close(file)
    return content


def goes_on(content: bytes, previous: Previous | None, name: str = "") -> bool:
    """Tells whether a content begins with all of an older one, and is longer."""
    if previous is None or not 0 < previous.bytes < len(content):
        return False
    return content_hash(memoryview(content)[: previous.bytes], name) == previous.content_hash


class Counter:
    """Computes hash, size and lines of a log while it is read, and whether it begins with an older content."""

    def __init__(self, previous: Previous | None, name: str = "") -> None:
        salt = _salt(name) if name else b""
        self._hash = xxhash.xxh3_128(salt)
        self._previous = previous
        self._prefix = xxhash.xxh3_128(salt)
        self.unterminated = False
        self.bytes = 0
        self.lines = 0

    def counted(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        for chunk in chunks:
            self.count(chunk)
            self.lines += chunk.count(b"\n")
            yield chunk

    def count(self, chunk: bytes | memoryview) -> None:
        self._hash.update(chunk)
        if self._previous is not None and self.bytes < self._previous.bytes:
            self._prefix.update(chunk[: self._previous.bytes - self.bytes])
        self.bytes += len(chunk)
        self.unterminated = bytes(chunk[-1:]) != b"\n"

    def digest(self) -> str:
        return self._hash.hexdigest()

    def grew(self) -> bool:
        """Tells whether the log begins with all of the older content, and is longer."""
        old = self._previous
        return old is not None and 0 < old.bytes < self.bytes and self._prefix.hexdigest() == old.content_hash


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


def near(before: bytes, buffer: bytes, end: int) -> bytes:
    """Returns the last of what was read: as much as with_cut_marked() compares a last line with."""
    return (before + buffer[max(0, end - _NEAR) : end])[-_NEAR:]


def with_cut_marked(buffer: bytes, end: int, log_format: LogFormat, before: bytes = b"") -> tuple[bytes, int]:
    """Returns buffer[:end] and its size, with a mark behind a last number that may be cut, so that nothing reads it.

    Without a line end behind it, `637` may be the beginning of `6370.7`, `251.0` of `251.0 ms`, and `3.2 s` of `3.2
    samples/s`. It is whole if the lines before that differ from the last one in digits alone print it as long; `before`
    are those of earlier buffers.
    """
    found = _LAST_NUMBER.search(buffer, max(0, end - 64), end)
    if found is not None:
        is_whole = _is_whole(found[1], _LINE_ENDS.split(near(before, buffer, end)))
    else:
        found = _LAST_UNIT.search(buffer, max(0, end - 64), end)
        is_whole = (
            found is None
            or not _may_go_on(found[2].decode(errors="replace"), log_format)
            or len(_alike(_LINE_ENDS.split(near(before, buffer, end)))) > 0
        )
    if found is None or is_whole:
        return buffer, end
    return buffer[: found.end(1)] + _CUT + buffer[found.end(1) : end], end + len(_CUT)


def _may_go_on(text: str, log_format: LogFormat) -> bool:
    # ms of ms/batch is the same unit, s of samples/s another one, and ms/ba none.
    own = (spelled for field in log_format.fields.values() for spelled in field.units.items())
    units = {**vocabulary().spellings, **dict(own)}
    return any(
        spelled.startswith(part) and spelled != part and meaning != units.get(part)
        for part in {text, text if text in units or text[:1] not in _PREFIXES else text[1:].lstrip()}
        for spelled, meaning in units.items()
    )


def _alike(lines: list[bytes]) -> list[bytes]:
    form = _DIGITS.sub(b"0", lines[-1])
    return [line for line in lines[:-1] if _DIGITS.sub(b"0", line) == form][-_ALIKE:]


def _is_whole(number: bytes, lines: list[bytes]) -> bool:
    if b"." in number and len(number) > _ALL_DIGITS and b"e" not in number.lower():
        return True
    alike = _alike(lines)
    if alike and lines[-1][-1:] in (b" ", b"\t"):
        return True  # a blank ends it, and no unit follows
    before = [found[1] for line in alike if (found := _LAST_NUMBER.search(line))]
    # As many digits as in each line before; a number that counts does not fall.
    return {_digits_behind_point(number)} == {*map(_digits_behind_point, before)} and (
        not number.isdigit() or int(number) >= int(before[-1])
    )


def _digits_behind_point(number: bytes) -> int:
    return len(number) - number.rfind(b".") if b"." in number else len(number)
