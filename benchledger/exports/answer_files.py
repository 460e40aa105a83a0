"""Where an answer may be written (over an earlier one, never over a ledger, a log or a page), and writing it whole."""

from __future__ import annotations

import os
import stat
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchledger.answers.page_blocks import find_blocks, lines_of
from benchledger.archives.magic_bytes import HEAD, is_archive
from benchledger.errors import UsageError
from benchledger.exports.values import json_text
from benchledger.store.key_file import KEY_MAGIC

# Pages are written by people. A larger file is taken for an answer.
_PAGE_BYTES = 8 * 2**20
_PROTECTED = {
    (0, b"SQLite format 3\x00"): "an SQLite database",
    (8, b"DUCK"): "a DuckDB database, maybe a ledger",
    (0, KEY_MAGIC): "the key of a ledger",
}
# Beside a database, DuckDB and SQLite take these for its newest rows.
_ROWS_BESIDE = (".wal", "-wal", "-journal")
_WORKBOOK = "xl/workbook.xml"
_CURE = "Name another file"


def refuse_overwrite(*outputs: Path, form: str | None = None, db: Path | str | None = None) -> None:
    """Raises UsageError if an output holds something that no answer may replace.

    Protected are databases, keys of ledgers, archives, Markdown pages with markers of bench, and logs of the ledger
    `db`. A workbook is a zip archive: only `form` xlsx may replace it.
    """
    for output in outputs:
        place = Path(os.path.realpath(output))
        for ending in _ROWS_BESIDE:
            if place.name.endswith(ending) and place.with_name(place.name.removesuffix(ending)).is_file():
                raise UsageError(f"{output}: is the write-ahead log of a database and is not overwritten. {_CURE}")
        # A pipe or a device has no content to protect.
        if output.is_file():
            holds = _holds(output, form)
            if holds is not None:
                raise UsageError(f"{output}: {holds}")
    if db is not None:
        _need_unread([output for output in outputs if output.is_file()], db)


def _holds(output: Path, form: str | None) -> str | None:
    with output.open("rb") as file:
        head = file.read(HEAD)
    for (at, magic), name in _PROTECTED.items():
        if head[at:].startswith(magic):
            return f"is {name}, and is not overwritten. {_CURE}"
    if is_archive(head) and not (form == "xlsx" and _is_workbook(output)):
        what = "an Excel workbook" if _is_workbook(output) else "an archive"
        return f"is {what}, and is not overwritten. {_CURE}"
    if b"bench" in (text := _text(output)) and _has_markers(text):
        return (
            f"is a page with markers, and is not overwritten. bench report --write {output} fills them; {_CURE.lower()}"
        )
    return None


def _is_workbook(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            return _WORKBOOK in archive.namelist()
    except (zipfile.BadZipFile, OSError):
        return False


def _text(path: Path) -> bytes:
    return path.read_bytes() if path.stat().st_size <= _PAGE_BYTES else b""


def _has_markers(text: bytes) -> bool:
    try:
        return bool(find_blocks(lines_of(text.decode(errors="replace")), ""))
    except UsageError:
        # Half a marker counts too: somebody meant to write one.
        return True


def _need_unread(outputs: Iterable[Path], db: Path | str) -> None:
    from benchledger.store.private_file import logs_read_from

    read = logs_read_from(db, [os.path.realpath(output) for output in outputs])
    for output in outputs:
        if os.path.realpath(output) in read:
            raise UsageError(f"{output}: is a log of this ledger and is not overwritten. {_CURE}")


def write_whole(path: Path, content: bytes) -> None:
    """Writes a temporary file beside `path` and moves it there, with the mode of the file that it replaces.

    A link stays a link. A path that is not a plain file (a pipe, /dev/stdout), or in a folder where no file can be
    created, is written in place. Raises OSError with this path in it.
    """
    target = Path(os.path.realpath(path))
    half = target.with_name(f".{target.name[:200]}.making.new-{os.getpid()}")
    try:
        if path.exists() and (not path.is_file() or not os.access(target.parent, os.W_OK)):
            path.write_bytes(content)
            return
        try:
            with half.open("xb") as sink:
                sink.write(content)
            if target.exists():
                half.chmod(stat.S_IMODE(target.stat().st_mode))
            half.replace(target)
        finally:
            half.unlink(missing_ok=True)
    except OSError as error:
        # The error of a full disk names no file, or names the temporary one, which means nothing to the user.
        raise OSError(error.errno, error.strerror, str(path)) from error


def write_own(path: Path, content: bytes) -> None:
    """Writes a file whose name we chose ourselves, in the user's folder: a link or a pipe there is replaced.

    In a stranger's folder a link may lead to any file, which would be written, and a pipe would wait for ever.
    """
    if path.is_symlink() or (path.exists() and not path.is_file()):
        path.unlink()
    write_whole(path, content)


@dataclass(frozen=True)
class JsonFiles:
    files: dict[str, dict[str, Any]]
    notes: tuple[str, ...] = ()

    def write(self, folder: Path | str, db: Path | str | None = None) -> None:
        """Writes every file below `folder` and replaces earlier answers.

        Raises UsageError, before it writes any file, if a file exists that is not an earlier answer, or is a log of the
        ledger `db`.
        """
        refuse_overwrite(*(Path(folder) / name for name in self.files), db=db)
        for name, content in self.files.items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            write_own(path, f"{json_text(content)}\n".encode())
