"""Writes the data files of a site: scripts that hand one JSON text to the page, since a page opened from a folder may
not fetch files.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchledger.answers.tables.grouping import Row
from benchledger.errors import UsageError
from benchledger.exports.answer_files import write_own
from benchledger.exports.values import escaped, plain
from benchledger.store.scratch import is_scratch

if TYPE_CHECKING:
    import polars as pl

STATIC = Path(__file__).with_name("static")
_DATA = "data"
# Folders that a killed export leaves: the new data, and the old data.
_LEFT = (f".{_DATA}.part", f".{_DATA}.old")
# Every site has this file, and it begins so.
_SITE = "site.js"
_HEAD = b'bench.receive("site", '
# What an export writes below `data`; whatever else lies there is somebody's own.
_OWN = re.compile(
    r"(?:(?:site|rules|runs|ranking|speed|memory|speedup)\.js|(?:speed|memory|speedup)\.(?:csv|parquet)|numbers\.xlsx"
    r"|case/[0-9a-f]{2}/[0-9a-f]+\.js)"
)
# A table in which no cell has a number still says why.
_ALWAYS = ("value",)


def data_file(name: str, value: Any) -> bytes:
    """Returns the file of one data set: a call with its name and its JSON text, in ASCII.

    Texts come from logs and paths: characters that would reorder or hide others are shown as their codes.
    """
    # As a text that JSON.parse reads: engines read it faster than a literal, and no key of it has a meaning.
    content = json.dumps(plain(value, escaped), allow_nan=False, separators=(",", ":"))
    return f"bench.receive({json.dumps(name)}, {json.dumps(content)});\n".encode("ascii")


@contextmanager
def site_folder(folder: Path) -> Iterator[Path]:
    """Yields the folder for the data files of a site; at the end they and the pages replace those of an earlier site.

    Files that are no part of a site stay. Raises UsageError for a folder with other content and no site.
    """
    refuse_folder(folder)
    folder.mkdir(parents=True, exist_ok=True)
    half, old = (folder / name for name in _LEFT)
    for left in (half, old):
        shutil.rmtree(left, ignore_errors=True)
    half.mkdir()
    try:
        yield half
        for page in sorted(STATIC.iterdir()):
            write_own(folder / page.name, page.read_bytes())
        with suppress(FileNotFoundError):
            (folder / _DATA).rename(old)
        half.rename(folder / _DATA)
    finally:
        # If the new data was not moved into place, restore the old data.
        with suppress(OSError):
            old.rename(folder / _DATA)
        for left in (half, old):
            shutil.rmtree(left, ignore_errors=True)


def refuse_folder(folder: Path) -> None:
    """Raises UsageError for a file, a folder of files without a site, and a site with files of others in its data."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder}: is a file. Name a folder")
    if folder.is_dir() and any(folder.iterdir()) and not _is_site(folder):
        raise UsageError(f"{folder}: is not empty and holds no earlier site. Name an empty or a new folder")
    for replaced in (folder / name for name in (_DATA, *_LEFT)):
        for place, folders, names in os.walk(replaced):
            for file in (Path(place, name) for name in (*names, *folders)):
                if not _is_own(file, replaced):
                    raise UsageError(f"{file}: is no file of a site, and would be removed. Move it out of {replaced}")
        if replaced.is_symlink():
            raise UsageError(f"{replaced}: is a link, and would be replaced. Remove it, or name another folder")


def _is_own(file: Path, folder: Path) -> bool:
    if file.is_symlink():
        return False
    # A killed export leaves its workbook half-written.
    return file.is_dir() or _OWN.fullmatch(file.relative_to(folder).as_posix()) is not None or is_scratch(str(file))


def _is_site(folder: Path) -> bool:
    for first in (folder / name / _SITE for name in (_DATA, *_LEFT)):
        if first.is_file():
            with first.open("rb") as file:
                return file.read(len(_HEAD)) == _HEAD
    return all(one.name in _LEFT for one in folder.iterdir())


def packed(rows: Sequence[Row], columns: Sequence[str]) -> dict[str, Any]:
    """Returns rows as columns, without those that no row has a value of.

    A column of floats is `numbers`; any other has its different values in `values`, sorted, and in `codes` the place of
    each row's own there, -1 for none.
    """
    found = []
    for name in columns:
        values = [row[name] for row in rows]
        known = [value for value in values if value is not None]
        if not known and name not in _ALWAYS:
            continue
        if all(isinstance(value, float) for value in known):
            found.append({"name": name, "numbers": values})
        else:
            different = sorted(set(known))
            place = {value: number for number, value in enumerate(different)} | {None: -1}
            found.append({"name": name, "values": different, "codes": [place[value] for value in values]})
    return {"rows": len(rows), "columns": found}


def framed(frame: pl.DataFrame, *columns: str) -> dict[str, Any]:
    """Returns a small frame, or some columns of it, as the heads and rows of a table."""
    chosen = frame.select(columns) if columns else frame
    return {"columns": chosen.columns, "rows": [list(row) for row in chosen.iter_rows()]}
