"""Finding files: in a fixed order, links to folders never followed, nothing opened that could block."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from benchledger.archives.kinds import without_compression, without_suffixes
from benchledger.archives.member import CHAIN
from benchledger.errors import UsageError

FACTS_FILE = "facts.toml"
# Behind the place of a member whose name another member of its archive has too: its number.
AGAIN = "#!"


# Each file is asked for its folder again and again.
folder_of = lru_cache(maxsize=256)(os.path.dirname)


# Not frozen, which would cost as much as finding out about the file.
@dataclass(slots=True)
class FoundFile:
    """A file below an ingested argument. `shown` is its path below it; `problem` says why it cannot be read.

    Of a member of an archive, `shown` is its path below the innermost archive, `within` the place of the archive on
    disk, `archive` that one's path as shown, and `member` the names that lead to it from there (None: it is what a
    compressed file holds). `limited`: a limit, which may be another next time, is why it could not be read.
    `is_empty`: an archive in which there is nothing to be read.
    """

    place: str
    shown: str
    root_name: str
    size: int
    mtime_ns: int
    problem: str | None = None
    within: str = ""
    archive: str | None = None
    member: str | None = None
    limited: bool = False
    is_empty: bool = False

    @property
    def is_facts(self) -> bool:
        """Whether it declares facts instead of being a log."""
        return self.place.endswith(FACTS_FILE) and os.path.basename(self.place) == FACTS_FILE

    @property
    def named_place(self) -> str:
        """Its place under its own name: that of `run.log` for what `run.log.gz` holds."""
        return os.path.join(os.path.dirname(self.place), self.shown.rpartition("/")[2]) if self.within else self.place


def discover(paths: Iterable[Path | str], leave_out: set[str]) -> Iterator[FoundFile]:
    """Every file under the given paths, once. Raises UsageError for a path that does not exist."""
    seen: set[str] = set()
    for path in paths:
        given = Path(path)
        if not given.exists() and not given.is_symlink():
            raise UsageError(f"{given}: no such file or folder")
        place = os.path.realpath(given) if given.is_dir() else os.path.join(os.path.realpath(given.parent), given.name)
        root = place if given.is_dir() else os.path.dirname(place)
        for found in _walk(place) if given.is_dir() else [place]:
            if found not in seen and found not in leave_out:
                seen.add(found)
                yield _found(found, root)
        # What is declared above holds here too.
        for found in _facts_above(place):
            if found not in seen:
                seen.add(found)
                yield _found(found, root)


def found_at(place: str, shown: str) -> FoundFile:
    """The file at a real path that was seen before as `shown`; it may be gone."""
    inside = place.endswith(os.sep + shown.replace("/", os.sep))
    return _found(place, place[: -len(shown) - 1] if inside else os.path.dirname(place))


def member_at(place: str, shown: str, within: str) -> FoundFile:
    """The member of an archive that was seen before as `shown`."""
    place_once, again, number = place.rpartition(AGAIN)
    chain = (place_once if again and number.isdigit() else place)[len(within) :].removeprefix(CHAIN).removesuffix(CHAIN)
    if chain.strip("!"):
        names = [within, *chain.removesuffix("!").split(CHAIN)]
        shown = without_compression(names[-1]) if chain.endswith("!") else names[-1]
        root = without_suffixes(os.path.basename(names[-2]))
    else:
        root = os.path.basename(os.path.dirname(within))
    return FoundFile(place, printable(shown), printable(root) or "root", 0, 0, None, within)


def printable(path: str) -> str:
    """A path as text: bytes that are no UTF-8 as escapes."""
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
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        # The folder itself is the file that cannot be read: it is accounted for.
        yield folder
        return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(entry.path)
        elif not (entry.is_symlink() and os.path.isdir(entry.path)):
            yield entry.path


@lru_cache(maxsize=16)
def _root_name(root: str) -> str:
    return printable(os.path.basename(root)) or "root"


def _found(place: str, root: str) -> FoundFile:
    inside = place.startswith(root + os.sep)
    shown = printable(place[len(root) + 1 :] if inside else os.path.relpath(place, root)).replace(os.sep, "/")
    root_name = _root_name(root)
    try:
        status = os.stat(place)
    except OSError as error:
        return FoundFile(place, shown, root_name, 0, 0, f"cannot be read: {error.strerror}")
    problem = None
    if stat.S_ISDIR(status.st_mode):
        problem = "cannot be read: the folder may not be listed; give yourself the right to read it"
    elif not stat.S_ISREG(status.st_mode):
        problem = "no regular file (a pipe, socket or device): it is not opened"
    return FoundFile(place, shown, root_name, status.st_size, status.st_mtime_ns, problem)
