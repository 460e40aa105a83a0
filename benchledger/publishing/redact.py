"""`bench redact`: rewrites logs and archives with nothing private in them."""

from __future__ import annotations

import os
import secrets
import stat
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from benchledger.archives.disk_file import open_file
from benchledger.archives.limits import Budget, Limits
from benchledger.archives.member import CHAIN
from benchledger.archives.streams import DiskFile
from benchledger.errors import UsageError, refuse_existing
from benchledger.publishing.archive import Rewriter
from benchledger.publishing.log_text import NotRedactable
from benchledger.redaction.known_names import KnownNames
from benchledger.redaction.redactor import Redactor
from benchledger.redaction.samples import load_redaction
from benchledger.store.key_file import KEY_BYTES, read_key_file
from benchledger.store.private_file import key_of
from benchledger.store.scratch import remove_leftovers

_LEADS_OUT = "a link that leads out of the folder: to redact its target, name the target in PATHS"
_NO_FILE = "neither a file nor a folder"


class _Source(NamedTuple):
    """A place, the file that was found there (device and inode), and why it is left out, if so."""

    place: str
    file: tuple[int, int] | None
    problem: str | None = None


@dataclass
class RedactResult:
    """The files written below the folder, what was left out with its reason, and what was replaced, by kind.

    `archives` counts the written files that are archives; `members` the logs in them that were written,
    `members_left_out` those that were not; `archives_left_out` the archives that were not written at all. `left_out`
    lists everything that is missing, also the end of a cut archive. `replaced` counts occurrences, `distinct` the
    different names. `secrets` lists the places of secrets: path (with member) and line. `named` lists the written files
    and members whose path has a name that was replaced in a log. `own_key` is true if the pseudonyms are those of this
    call only. Except in `named`, the result holds no original name.
    """

    written: list[str] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)
    replaced: Counter[str] = field(default_factory=Counter)
    distinct: Counter[str] = field(default_factory=Counter)
    secrets: list[tuple[str, int]] = field(default_factory=list)
    named: list[str] = field(default_factory=list)
    own_key: bool = False
    archives: int = 0
    archives_left_out: int = 0
    members: int = 0
    members_left_out: int = 0

    @property
    def files(self) -> int:
        return len(self.written) - self.archives

    @property
    def files_left_out(self) -> int:
        """Returns the number of files that are not archives and were not written."""
        whole = sum(1 for path, _ in self.left_out if "!/" not in path and path not in self.written)
        return whole - self.archives_left_out


def redact(
    *paths: Path | str,
    out: Path | str,
    db: Path | str | None = None,
    key_file: Path | str | None = None,
    limits: Limits | None = None,
) -> RedactResult:
    """Writes every log and archive under the paths into the folder `out`, redacted.

    Pseudonyms use the key of `key_file`, else of the ledger `db`, else a new key that is not kept. Raises UsageError
    for a path that does not exist, or, before it writes anything, if an output file exists.
    """
    rules = load_redaction()
    key = _key(db, key_file)
    redactor = Redactor(rules, key or secrets.token_bytes(KEY_BYTES))
    target = Path(out)
    plan: dict[Path, tuple[_Source, str]] = {}
    result = RedactResult(own_key=key is None)
    for source, path in _files(paths, os.path.realpath(target)):
        shown = redactor.path(path, source.place)
        if source.problem is not None:
            result.left_out.append((shown, source.problem))
            continue
        to = target / shown
        refuse_existing(to, cure="Name another folder with --out", taken=plan)
        plan[to] = (source, shown)
    remove_leftovers(target.rglob("*.redacting.new-*"))
    members: list[str] = []
    for to, (source, shown) in plan.items():
        members += _write(source, to, shown, redactor, limits or Limits(), result)
    result.replaced, result.distinct = redactor.counts, redactor.distinct
    result.named = _named([*result.written, *members], redactor)
    return result


def _named(paths: Iterable[str], redactor: Redactor) -> list[str]:
    # A file gets its name before its log is read, and only the logs show which words are names.
    redactor.recall_names()
    known = KnownNames(redactor)
    return [path for path in paths if known.replace(path) != path]


def _key(db: Path | str | None, key_file: Path | str | None) -> bytes | None:
    if key_file is not None:
        return read_key_file(Path(key_file))
    return None if db is None else key_of(db)


def _files(paths: tuple[Path | str, ...], out: str) -> Iterator[tuple[_Source, str]]:
    """Yields each file, link and pipe, with its path below the folder."""
    for path in map(Path, paths):
        if not path.exists():
            raise UsageError(f"{path}: no such file or folder")
        place = os.path.realpath(path)
        if not path.is_dir():
            yield _source(place, place), path.name
            continue
        for folder, folders, names in os.walk(place):
            # The output folder may lie within a folder that is redacted: it is not read again.
            folders[:] = sorted(name for name in folders if os.path.join(folder, name) != out)
            for name in sorted([*names, *folders]):
                found = os.path.join(folder, name)
                path_below = os.path.relpath(found, place).replace(os.sep, "/")
                real = os.path.realpath(found) if os.path.islink(found) else found
                if not Path(real).is_relative_to(place):
                    yield _Source(found, None, _LEADS_OUT), path_below
                elif not os.path.isdir(found):
                    yield _source(found, real), path_below


def _source(place: str, real: str) -> _Source:
    try:
        status = os.lstat(real)
    except OSError:
        return _Source(place, None, _NO_FILE)
    return _Source(place, (status.st_dev, status.st_ino), None if stat.S_ISREG(status.st_mode) else _NO_FILE)


def _write(
    source: _Source, to: Path, shown: str, redactor: Redactor, limits: Limits, result: RedactResult
) -> list[str]:
    """Writes one file, and returns its members that were written."""
    to.parent.mkdir(parents=True, exist_ok=True)
    # A name may have 255 bytes, and a character four.
    half = to.with_name(f"{to.name[:50]}.redacting.new-{os.getpid()}")
    rewriter: Rewriter | None = None
    secrets: list[tuple[str, int]] = []
    is_written = False
    try:
        with open_file(source.place) as file, open(half, "xb") as sink:
            status = os.stat(file.fileno())
            if (status.st_dev, status.st_ino) != source.file:
                raise NotRedactable("replaced by another file meanwhile: repeat the command")
            disk = DiskFile(file, status.st_size)
            budget = Budget(limits, lambda: disk.bytes_read)
            rewriter = Rewriter(
                redactor,
                budget,
                lambda name, why: result.left_out.append((f"{shown}{CHAIN}{name}", why)),
                lambda name, line: secrets.append((f"{shown}{CHAIN}{name}" if name else shown, line)),
            )
            cut = rewriter.rewrite(disk, sink)
        os.utime(half, ns=(status.st_mtime_ns, status.st_mtime_ns))
        half.rename(to)
        is_written = True
        result.written.append(shown)
        result.secrets += secrets
        result.archives += rewriter.archive
        if cut is not None:
            result.left_out.append((shown, f"only what comes before its damage was written: {redactor.text(cut)}"))
    except NotRedactable as reason:
        result.left_out.append((shown, redactor.text(str(reason))))
    except OSError as error:
        result.left_out.append((shown, f"cannot be read or written: {error.strerror or error}"))
    finally:
        half.unlink(missing_ok=True)
        if rewriter is not None and rewriter.archive:
            if is_written:
                result.members += rewriter.written
                result.members_left_out += rewriter.missing
            else:
                # Members that were read before the failure are not written either.
                result.archives_left_out += 1
                result.members_left_out += rewriter.written + rewriter.missing
    return [f"{shown}{CHAIN}{name}" for name in rewriter.names] if rewriter is not None and is_written else []
