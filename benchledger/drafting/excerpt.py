"""The part of a log that a draft uses: its first megabyte and its end, as lines of text."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from benchledger.archives.magic_bytes import is_archive, is_text
from benchledger.archives.streams import Source
from benchledger.errors import UsageError, counted

HEAD = 1024 * 1024
TAIL = 256 * 1024
_PIECE = 1024 * 1024
_LINE_LIMIT = 8192
_LEAST_LINES = 5


@dataclass(frozen=True)
class Excerpt:
    """The lines of a log, divided at line ends and carriage returns; `data` has their bytes.

    `cut`: the middle is missing.
    """

    name: str
    data: bytes
    lines: tuple[str, ...]
    cut: bool


def read_excerpt(stream: Source, name: str) -> Excerpt:
    """Returns the excerpt of a log. Raises UsageError, with the reason, if no format can be drafted from it."""
    head = stream.read(HEAD)
    _refuse(head, name)
    tail: deque[bytes] = deque(maxlen=TAIL // _PIECE + 1)
    while piece := stream.read(_PIECE):
        tail.append(piece)
    end = b"".join(tail)[-TAIL:]
    # The parts of lines at the two cuts are dropped.
    data = head[: head.rfind(b"\n") + 1] + end[end.find(b"\n") + 1 :] if end else head
    lines, foreign = [], 0
    for raw in data.replace(b"\r", b"\n").split(b"\n"):
        if not raw.strip() or len(raw) > _LINE_LIMIT:
            continue
        try:
            lines.append(raw.decode().rstrip())
        except UnicodeDecodeError:
            foreign += 1
    if foreign > len(lines):
        raise UsageError(
            f"{name}: most of its lines are not UTF-8; convert it first, as `iconv -f GB18030 -t UTF-8` does"
        )
    if len(lines) < _LEAST_LINES:
        raise UsageError(
            f"{name}: {counted(len(lines), 'line')} of text: too few to find repeated lines. Name a log with some steps"
        )
    return Excerpt(name, data, tuple(lines), bool(end))


def _refuse(head: bytes, name: str) -> None:
    if not head.strip():
        raise UsageError(f"{name}: empty file. Name a log with some steps")
    if is_archive(head[:512]):
        raise UsageError(f"{name}: archive with several files: unpack it and name one log")
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise UsageError(f"{name}: UTF-16 text: convert it with `iconv -f UTF-16 -t UTF-8`")
    if not is_text(head[:65536]) or b"\x00" in head[:512]:
        raise UsageError(f"{name}: binary file (NUL bytes, no lines of text)")
