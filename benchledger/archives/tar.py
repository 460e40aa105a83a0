"""Reads tar archives forward only, with tarfile's headers.

Unlike tarfile it keeps no list of members, and reports damage.
"""

from __future__ import annotations

import stat
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass

from benchledger.archives.entry_names import clean_name, name_problem, printable
from benchledger.archives.limits import FREE_BYTES, Budget
from benchledger.archives.member import Exactly
from benchledger.archives.problem import Damaged, Problem, corrupt, truncated
from benchledger.archives.streams import CHUNK, Source

# Limit of a header with all its extensions: long names take a few KB, but a crafted header may claim gigabytes.
_HEADER_BYTES = 4 * 2**20
_SPECIAL = {
    tarfile.CHRTYPE: "a device",
    tarfile.BLKTYPE: "a device",
    tarfile.FIFOTYPE: "a pipe",
}


@dataclass
class Entry:
    """One entry of an archive: its name, time, size, and its bytes or its problem."""

    name: str
    mtime_ns: int
    size: int | None
    source: Source | None
    problem: Problem | None = None


class _Blocks:
    # The input of tarfile. It refuses an endless header, and reports a cut as an end, with the damage raised
    # afterwards.
    def __init__(self, source: Source) -> None:
        self._source = source
        self.left: int | None = None
        self.cut: Damaged | None = None

    def read(self, size: int, /) -> bytes:
        if self.left is not None:
            self.left -= size
            if self.left < 0:
                raise corrupt(f"a header of it is longer than {_HEADER_BYTES:,} bytes")
        try:
            return self._source.read(size)
        except Damaged as damage:
            if damage.problem.kind != "truncated":
                raise
            self.cut = damage
            return b""


def tar_entries(source: Source, budget: Budget) -> Iterator[Entry]:
    """Yields every entry that is not a folder, in order. Raises Damaged if the archive cannot be read further."""
    blocks = _Blocks(source)
    try:
        yield from _entries(blocks, budget)
    except (tarfile.TarError, ValueError, OverflowError, IndexError, OSError) as error:
        raise corrupt(f"the tar is damaged: {error}") from error


def _entries(blocks: _Blocks, budget: Budget) -> Iterator[Entry]:
    blocks.left = _HEADER_BYTES
    # tarfile.open reads the first header; mode "r|" never seeks back.
    with tarfile.open(fileobj=blocks, mode="r|", bufsize=CHUNK, errors="surrogateescape") as tar:  # type: ignore[call-overload]
        info: tarfile.TarInfo | None = tar.firstmember
        while info is not None:
            blocks.left = None
            tar.members.clear()
            if not info.isdir():
                yield _entry(tar, info, budget)
            info = _next(tar, blocks)


def _next(tar: tarfile.TarFile, blocks: _Blocks) -> tarfile.TarInfo | None:
    # TarFile.next() takes a damaged header for the end of the archive.
    stream = tar.fileobj
    assert stream is not None
    _skip_to_next(tar, blocks)
    blocks.left = _HEADER_BYTES
    try:
        return tar.tarinfo.fromtarfile(tar)
    except tarfile.EOFHeaderError:  # type: ignore[attr-defined]
        _read_out(stream, blocks)
        return None
    except (tarfile.EmptyHeaderError, tarfile.TruncatedHeaderError) as error:  # type: ignore[attr-defined]
        raise blocks.cut or truncated("the tar ends without its end mark") from error


def _skip_to_next(tar: tarfile.TarFile, blocks: _Blocks) -> None:
    # Not stream.seek: it goes on to the offset, which a header may claim to be 2**70, long after the data has ended.
    stream = tar.fileobj
    assert stream is not None
    missing = tar.offset - stream.tell()
    if missing < 0:
        raise corrupt("a header of it leads backwards")
    while missing > 0:
        skipped = len(stream.read(min(missing, CHUNK)))
        if not skipped:
            raise blocks.cut or truncated("the tar ends in its middle")
        missing -= skipped


def _read_out(stream: Source, blocks: _Blocks) -> None:
    # A compressed tar has its checksum behind the padding, and another tar may follow.
    blocks.left = None
    while rest := stream.read(CHUNK):
        if rest.strip(b"\x00"):
            fact = "after the end of the tar follow more bytes, perhaps another tar"
            raise Damaged(Problem("corrupt", fact, "unpack it with `tar --ignore-zeros`, and ingest that"))
    if blocks.cut is not None:
        raise blocks.cut


def _entry(tar: tarfile.TarFile, info: tarfile.TarInfo, budget: Budget) -> Entry:
    name = clean_name(info.name)
    entry = Entry(printable(name if name is not None else info.name), _mtime_ns(info), info.size, None)
    if info.issym() or info.islnk():
        entry.problem = link(info.linkname)
    elif info.type in _SPECIAL:
        entry.problem = Problem("special", f"{_SPECIAL[info.type]}, not a file", "leave it out")
    elif not name:
        entry.problem = name_problem(info.name)
    elif info.issparse():
        entry.source, entry.problem = _sparse(tar, info, budget)
    else:
        assert tar.fileobj is not None
        tar.fileobj.seek(info.offset_data)
        entry.source = Exactly(tar.fileobj, info.size)
    return entry


def _sparse(tar: tarfile.TarFile, info: tarfile.TarInfo, budget: Budget) -> tuple[Source | None, Problem | None]:
    stored = max(tar.offset - info.offset_data, 1)
    try:
        if info.size > FREE_BYTES:
            budget.check_ratio(info.size, stored)
        budget.spend(info.size)
    except Damaged as damage:
        return None, damage.problem
    file = tar.extractfile(info)
    return (Exactly(file, info.size), None) if file is not None else (None, None)


def link(target: str) -> Problem:
    """Returns the problem of a link. Links are not followed: bench reads only what the archive itself contains."""
    return Problem(
        "link", f"a link, to {printable(target)!r}, and links are not followed", "put the file itself into the archive"
    )


def is_link(mode: int) -> bool:
    """Tells whether a file mode, as zip stores it, is that of a symbolic link."""
    return stat.S_ISLNK(mode)


def _mtime_ns(info: tarfile.TarInfo) -> int:
    # 0 in a tar without times; in a crafted one it may be no valid time.
    try:
        return max(int(info.mtime * 1_000_000_000), 0)
    except (OverflowError, ValueError):
        return 0
