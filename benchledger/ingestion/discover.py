"""Finds files in a fixed order. Links to folders are not followed, and no file is opened."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from benchledger.archives.magic_bytes import without_compression
from benchledger.archives.member import CHAIN
from benchledger.definitions.regular_file import NO_FILE
from benchledger.errors import UsageError
from benchledger.ingestion.kernel_folders import folder_problem, is_kernel_mount, is_of_kernel
from benchledger.ingestion.remote import above, address_of, head, is_bucket, is_folder, is_remote, listed, open_remote
from benchledger.store.private_file import SeenFile
from benchledger.store.scratch import is_scratch

FACTS_FILE = "facts.toml"
# Stands before the number of a member whose name another member of its archive has too.
AGAIN = "#!"

# The folder of each file is needed many times.
folder_of = lru_cache(maxsize=256)(os.path.dirname)


# Not frozen, which would take as long as `stat`.
@dataclass(slots=True)
class FoundFile:
    """A file below the folder `top` that was named. `shown` is its path below that; `problem`: why it cannot be read.

    Of a member of an archive, `shown` is its path below the innermost archive, `within` the place of the archive on
    disk, `archive` that one's path as shown, and `member` the names that lead to it from there (None: it is what a
    compressed file holds). `limited`: it could not be read because of a limit, which may be higher next time.
    `is_empty`: an archive without content. `open` opens a file that is not on this disk.
    """

    place: str
    shown: str
    top: str
    size: int
    mtime_ns: int
    problem: str | None = None
    within: str = ""
    archive: str | None = None
    member: str | None = None
    limited: bool = False
    is_empty: bool = False
    open: Callable[[], BinaryIO] | None = None

    @property
    def is_facts(self) -> bool:
        """Whether it declares facts instead of being a log."""
        return is_facts_place(self.place)

    @property
    def named_place(self) -> str:
        """Its place under its own name: that of `run.log` for what `run.log.gz` holds."""
        return os.path.join(os.path.dirname(self.place), self.shown.rpartition("/")[2]) if self.within else self.place


class NamedFolders:
    """Some folders, which may lie within one another."""

    def __init__(self, folders: Iterable[str]) -> None:
        self._folders = frozenset(folders)
        self._outermost: dict[str, str | None] = {}

    def outermost(self, folder: str) -> str | None:
        """The highest of them that is a folder or lies above it; None where none does."""
        if folder not in self._outermost:
            ends = [number for number, sign in enumerate(folder) if sign == os.sep and number] if self._folders else []
            top = [os.sep] if folder.startswith(os.sep) else []
            higher = (*top, *(folder[:end] for end in ends), folder)
            self._outermost[folder] = next((one for one in higher if one in self._folders), None)
        return self._outermost[folder]


def kept_number(number: int) -> int:
    """A size or a time as the ledger can hold it: some file systems, and archives, state others."""
    return max(min(number, 2**63 - 1), -(2**63))


def named_folders(paths: Iterable[Path | str], failed: dict[str, Exception]) -> list[str]:
    """The real paths of the folders among some paths, and the addresses of remote ones; `failed` as in is_folder."""
    places = map(given_place, paths)
    return [
        place if is_remote(place) else os.path.realpath(place)
        for place in places
        if (is_folder(place, failed) if is_remote(place) else os.path.isdir(place))
    ]


def given_place(path: Path | str) -> str:
    """A path or address as it was given. Raises UsageError for an address that nothing can read."""
    place = str(path)
    if place.startswith("file://"):
        from urllib.parse import urlsplit
        from urllib.request import url2pathname

        return url2pathname(urlsplit(place).path)
    return address_of(place) if isinstance(path, str) and "://" in place and not os.path.exists(place) else place


def is_lasting(place: str) -> bool:
    """Whether a file can be found at its place again: standard input cannot."""
    return os.path.isabs(place) or is_remote(place)


def discover(
    paths: Iterable[Path | str], leave_out: set[str], failed: dict[str, Exception] | None = None
) -> Iterator[FoundFile]:
    """Every file under the given paths, once. Raises UsageError for a path that does not exist.

    If there are other paths, an address that cannot be read becomes a file with a problem, and the others are read.
    """
    seen, failed = set[str](), {} if failed is None else failed
    places = list(map(given_place, paths))
    named = NamedFolders(named_folders(places, failed))
    for path in places:
        if is_remote(path):
            try:
                if path in failed:
                    raise failed[path]
                yield from _remote_files(path, named, seen)
            except UsageError as error:
                if len(places) == 1:
                    raise
                problem = str(error).removeprefix(f"{path}: ")
                yield replace(_remote_file(path, os.path.dirname(path), 0, 0), problem=problem)
            continue
        given = Path(path)
        if not os.path.lexists(given):
            raise UsageError(f"{given}: no such file or folder")
        place = os.path.realpath(given) if given.is_dir() else os.path.join(os.path.realpath(given.parent), given.name)
        folder = place if given.is_dir() else os.path.dirname(place)
        # Of folders within one another the outermost, so that the order of the paths does not matter.
        top = named.outermost(folder) or folder
        for found in _walk(place) if given.is_dir() else [place]:
            if found not in seen and found not in leave_out and not (is_scratch(found) and given.is_dir()):
                seen.add(found)
                yield _found(found, top)
        # A facts.toml in a folder above holds here too.
        for found in _facts_above(place):
            if found not in seen:
                seen.add(found)
                yield _found(found, top)


def _remote_files(place: str, named: NamedFolders, seen: set[str]) -> Iterator[FoundFile]:
    file = head(place)
    folder = place if file is None else os.path.dirname(place)
    top = named.outermost(folder) or folder
    found = listed(place) if file is None else [(place, *file)]
    for one, size, changed in chain(found, above(place, FACTS_FILE)):
        if one not in seen:
            seen.add(one)
            yield _remote_file(one, top, size, changed)


def _remote_file(place: str, top: str, size: int, mtime_ns: int) -> FoundFile:
    """A file at an address, as it was listed or seen."""
    shown = printable(place[len(top) + 1 :] if place.startswith(f"{top}/") else os.path.relpath(place, top))
    return FoundFile(place, shown, top, size, mtime_ns, open=partial(open_remote, place, size))


def is_facts_place(place: str) -> bool:
    # The end of it first: to split the path of every file takes much longer.
    return place.endswith(FACTS_FILE) and os.path.basename(place) == FACTS_FILE


def found_at(place: str, shown: str) -> FoundFile:
    inside = place.endswith(os.sep + shown.replace("/", os.sep))
    return _found(place, place[: -len(shown) - 1] if inside else os.path.dirname(place))


def found_now(file: FoundFile) -> FoundFile:
    """A file on this disk that was found before, as it is now."""
    return _found(file.place, file.top)


def found_before(seen: SeenFile, shown: str) -> FoundFile:
    """A file that was seen before as `shown`: on this disk as it is now, elsewhere as it was."""
    place = seen.place
    if not is_remote(place):
        return found_at(place, shown)
    top = place[: -len(shown) - 1] if place.endswith(f"/{shown}") else os.path.dirname(place)
    return _remote_file(place, top, seen.size, seen.mtime_ns)


def gone_among(files: list[FoundFile]) -> Callable[[str], bool]:
    """Tells of a place whether its file is gone; of what is not on this disk only the files found below a top tell."""
    there, tops = ({getattr(file, name) for file in files if is_remote(file.place)} for name in ("place", "top"))

    def is_gone(place: str) -> bool:
        if not is_remote(place):
            return not os.path.exists(place)
        return place not in there and any(is_below(os.path.dirname(place), top) for top in tops)

    return is_gone


def is_below(folder: str, top: str) -> bool:
    return folder == top or folder.startswith(top.rstrip(os.sep) + os.sep)


def member_at(place: str, shown: str, within: str) -> FoundFile:
    """The member of an archive that was seen before as `shown`."""
    names = chain_of(place, within)
    if names:
        shown = without_compression(names[-1]) if is_lone(place) else names[-1]
    return FoundFile(place, printable(shown), os.path.dirname(within), 0, 0, None, within)


def chain_of(place: str, within: str) -> list[str]:
    """The names that lead from an archive on disk to its member; none for what a compressed file holds."""
    chain = _once(place)[len(within) :].removeprefix(CHAIN).removesuffix(CHAIN).removesuffix("!")
    return chain.split(CHAIN) if chain else []


def is_lone(place: str) -> bool:
    """Whether a member's place is that of what a compressed file holds."""
    return _once(place).endswith("!")


def _once(place: str) -> str:
    place_once, again, number = place.rpartition(AGAIN)
    return place_once if again and number.isdigit() else place


def folder_above(folder: str) -> str:
    return folder if is_bucket(folder) else os.path.dirname(folder)


def joined(folder: str, name: str) -> str:
    """The place of a file that is named as it is seen from a folder."""
    scheme, sign, rest = folder.partition("://") if is_remote(folder) else ("", "", folder)
    return scheme + sign + os.path.normpath(os.path.join(rest, name))


def printable(path: str) -> str:
    """A path as text, with escapes for bytes that are not UTF-8."""
    if path.isascii():
        return path
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _facts_above(folder: str) -> Iterator[str]:
    while (parent := os.path.dirname(folder)) != folder:
        folder = parent
        place = os.path.join(folder, FACTS_FILE)
        if os.path.isfile(place):
            yield place


def _walk(folder: str) -> Iterator[str]:
    # Without recursion: folders can be a thousand deep.
    open_folders = [iter([folder]) if is_of_kernel(os.stat(folder).st_dev) else _entries(folder)]
    while open_folders:
        entry = next(open_folders[-1], None)
        if entry is None:
            open_folders.pop()
        elif isinstance(entry, str):
            yield entry
        elif entry.is_dir(follow_symlinks=False) and not is_kernel_mount(entry.path):
            open_folders.append(_entries(entry.path))
        elif not (entry.is_symlink() and os.path.isdir(entry.path)):
            yield entry.path


def _entries(folder: str) -> Iterator[os.DirEntry[str] | str]:
    try:
        return iter(sorted(os.scandir(folder), key=lambda entry: entry.name))
    except OSError:
        # The folder itself is the file that cannot be read: it is accounted for.
        return iter([folder])


def _found(place: str, top: str) -> FoundFile:
    if is_remote(place):
        found = head(place)
        file = _remote_file(place, top, *(found or (0, 0)))
        return file if found is not None else replace(file, problem="cannot be read: it no longer exists")
    above = top.rstrip(os.sep) + os.sep
    shown = printable(place[len(above) :] if place.startswith(above) else os.path.relpath(place, top))
    shown = shown.replace(os.sep, "/")
    try:
        status = os.stat(place)
    except OSError as error:
        return FoundFile(place, shown, top, 0, 0, f"cannot be read: {error.strerror}")
    problem = None
    if stat.S_ISDIR(status.st_mode):
        problem = folder_problem(status.st_dev)
    elif not stat.S_ISREG(status.st_mode):
        problem = NO_FILE
    return FoundFile(place, shown, top, status.st_size, kept_number(status.st_mtime_ns), problem)
