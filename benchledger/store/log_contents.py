"""The contents of logs beside a ledger (LEDGER.logs): each once, compressed by zstd, for its owner only.

A content counts only while the ledger has its log. It is written before the ledger commits, and what no log has is
removed at the next write: after a kill nothing is lost, and nothing dangles that anyone could see.
"""

from __future__ import annotations

import io
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO, BinaryIO, NamedTuple, cast

from benchledger.errors import DatabaseError, cure_of_writing
from benchledger.store.private_file import make_private, private_paths

_TABLES = """
create table if not exists form (is_redacted integer not null);
create table if not exists dictionary (dictionary_id integer primary key, data blob not null);
create table if not exists content (
    content_hash  text primary key,
    bytes         integer not null,
    is_redacted   integer not null,
    dictionary_id integer
);
create table if not exists part (
    content_hash text not null,
    number       integer not null,
    first_line   integer not null,
    data         blob not null,
    primary key (content_hash, number)
);
-- A facts.toml, by its real path: what it states holds when its folder is gone.
create table if not exists facts_file (place blob primary key, data blob not null);
"""
# A dictionary helps small logs, and is trained on as many of them.
_SMALL, _LEAST_SAMPLES, _MOST_SAMPLE_BYTES, _DICTIONARY_BYTES = 64 * 1024, 32, 32 * 1024 * 1024, 112 * 1024


def contents_path(db: Path | str) -> Path:
    return private_paths(db)[2]


# The hashes of what a ledger has a content of: of a superseded log the newer one is enough.
WANTED = """
select distinct content_hash
from log
join sighting using (log_id)
where sighting.status <> 'superseded'
"""


class KeptLog(NamedTuple):
    """One compressed content: parts of some lines each, with the number of its first line."""

    content_hash: str
    size: int
    is_redacted: bool
    dictionary_id: int | None
    parts: tuple[tuple[int, bytes], ...]


class LogContents:
    """The kept contents of one ledger. Raises DatabaseError where the file cannot be used."""

    def __init__(self, db: Path | str) -> None:
        self.path = contents_path(db)
        make_private(self.path)
        with self._usable():
            self._con = sqlite3.connect(self.path, timeout=30.0)
            # What is forgotten leaves no bytes behind.
            self._con.execute("pragma secure_delete = on")
            with self._con:
                self._con.executescript(_TABLES)

    def close(self) -> None:
        self._con.close()

    @property
    def form(self) -> bool | None:
        """Returns how later ingests keep contents: redacted, raw (False), or not at all (None)."""
        row = self._con.execute("select is_redacted from form").fetchone()
        return bool(row[0]) if row else None

    def set_form(self, is_redacted: bool) -> None:
        """Decides how later ingests keep contents."""
        with self._usable(), self._con:
            self._con.execute("delete from form")
            self._con.execute("insert into form values (?)", [is_redacted])

    def forms(self) -> dict[str, bool]:
        """Returns the hashes of what is kept, and whether it is redacted."""
        rows = self._con.execute("select content_hash, is_redacted from content")
        return {content_hash: bool(is_redacted) for content_hash, is_redacted in rows}

    def write(self, kept: Iterable[KeptLog], wanted: set[str]) -> None:
        """Adds contents, each in its latest form, and removes those that are not wanted, in one transaction."""
        with self._usable(), self._con:
            there = self.forms()
            _remove(self._con, there.keys() - wanted)
            for log in kept:
                # Two processes may have read the same bytes.
                if log.content_hash in wanted and there.get(log.content_hash) is not log.is_redacted:
                    _remove(self._con, [log.content_hash])
                    _insert(self._con, log)
                    there[log.content_hash] = log.is_redacted

    def facts(self) -> dict[str, bytes]:
        return {os.fsdecode(place): data for place, data in self._con.execute("select place, data from facts_file")}

    def keep_facts(self, files: dict[str, bytes], gone: Iterable[str]) -> None:
        with self._usable(), self._con:
            self._con.executemany("delete from facts_file where place = ?", [(os.fsencode(one),) for one in gone])
            rows = [(os.fsencode(place), data) for place, data in files.items()]
            self._con.executemany("insert or replace into facts_file values (?, ?)", rows)

    def dictionary(self) -> tuple[int, bytes] | None:
        """Returns a trained dictionary, if there is one."""
        row = self._con.execute("select dictionary_id, data from dictionary limit 1").fetchone()
        return (row[0], row[1]) if row else None

    def read(self, content_hash: str) -> Iterator[bytes]:
        """Yields a content in parts. Raises DatabaseError if it is not kept."""
        decompress = self._decompressor(content_hash)
        rows = "select data from part where content_hash = ? order by number"
        for (data,) in self._con.execute(rows, [content_hash]):
            yield decompress(data)

    def lines(
        self, content_hash: str, numbers: Iterable[int], change: Callable[[bytes], bytes] = lambda part: part
    ) -> dict[int, bytes]:
        """Returns lines of a content by their numbers, without line ends; those that it lacks are left out.

        `change` is called with each part of the content that is read, in order, and must keep its lines.
        """
        decompress, found = self._decompressor(content_hash), dict[int, bytes]()
        query = """select first_line, data from part where content_hash = ? and first_line <= ?
                   order by number desc limit 1"""
        first, lines = 0, list[bytes]()
        for number in sorted(set(numbers)):
            if not first or number >= first + len(lines):
                row = self._con.execute(query, [content_hash, number]).fetchone()
                if row is None:
                    continue
                first, lines = row[0], change(decompress(row[1])).split(b"\n")
                # What follows the last line end is the next line only if there is something.
                lines = lines if lines[-1] else lines[:-1]
            if number < first + len(lines):
                found[number] = lines[number - first]
        return found

    def train(self) -> None:
        """Trains a dictionary once there are enough small contents, and compresses these again with it."""
        if self.dictionary() is not None:
            return
        small = self._con.execute(
            "select content_hash from content where bytes between 1 and ? order by content_hash", [_SMALL]
        ).fetchall()
        if len(small) < _LEAST_SAMPLES:
            return
        from backports import zstd

        contents, size = dict[str, bytes](), 0
        for (content_hash,) in small:
            contents[content_hash] = b"".join(self.read(content_hash))
            size += len(contents[content_hash])
            if size > _MOST_SAMPLE_BYTES:
                break
        try:
            trained = zstd.train_dict(list(contents.values()), min(_DICTIONARY_BYTES, size // 8))
        except (zstd.ZstdError, ValueError):
            # Contents that are too alike, or too few bytes.
            return
        with self._usable(), self._con:
            self._con.execute("insert into dictionary values (?, ?)", [trained.dict_id, trained.dict_content])
            for content_hash, content in contents.items():
                self._con.execute(
                    "update part set data = ? where content_hash = ?",
                    [zstd.compress(content, zstd_dict=trained), content_hash],
                )
                self._con.execute(
                    "update content set dictionary_id = ? where content_hash = ?", [trained.dict_id, content_hash]
                )
        with self._usable():
            # The file is as large as before until then.
            self._con.execute("vacuum")

    def take_from(self, db: Path | str) -> None:
        with self._usable():
            self._con.execute("attach ? as other", [f"{contents_path(db).absolute().as_uri()}?mode=ro"])
            try:
                with self._con:
                    for table in ("dictionary", "part", "content", "facts_file"):
                        # Parts before contents: those of a content that is here already are as good.
                        new = "where content_hash not in (select content_hash from main.content)"
                        new = new if table == "part" else ""
                        self._con.execute(f"insert or ignore into main.{table} select * from other.{table} {new}")  # noqa: S608 - names of ours
                    if self.form is None:
                        self._con.execute("insert into form select * from other.form")
            finally:
                self._con.execute("detach other")

    def _decompressor(self, content_hash: str) -> Callable[[bytes], bytes]:
        from backports import zstd

        query = """select dictionary.data from content left join dictionary using (dictionary_id)
                   where content_hash = ?"""
        row = self._con.execute(query, [content_hash]).fetchone()
        if row is None:
            raise DatabaseError(f"{self.path}: keeps no content {content_hash}")
        trained = zstd.ZstdDict(row[0]) if row[0] is not None else None
        return lambda data: zstd.decompress(data, zstd_dict=trained)

    @contextmanager
    def _usable(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise DatabaseError(f"{self.path}: cannot be used: {error}. {cure_of_writing(error)}") from error


def _insert(con: sqlite3.Connection, log: KeptLog) -> None:
    con.execute("insert into content values (?, ?, ?, ?)", log[:4])
    rows = [(log.content_hash, number, *part) for number, part in enumerate(log.parts)]
    con.executemany("insert into part values (?, ?, ?, ?)", rows)


def _remove(con: sqlite3.Connection, hashes: Iterable[str]) -> None:
    for table in ("part", "content"):
        con.executemany(f"delete from {table} where content_hash = ?", [(one,) for one in hashes])  # noqa: S608


@contextmanager
def kept_contents(db: Path | str) -> Iterator[LogContents | None]:
    """Yields the kept contents of a ledger; None where it keeps none."""
    if not contents_path(db).is_file():
        yield None
        return
    with closing(LogContents(db)) as contents:
        yield contents


def open_kept(db: Path | str, content_hash: str) -> BinaryIO:
    """Opens a kept content as a file that can seek. Raises OSError if it is gone."""
    import tempfile

    held: IO[bytes] = tempfile.SpooledTemporaryFile(64 * 1024 * 1024)  # noqa: SIM115 - its reader closes it
    try:
        with closing(LogContents(db)) as contents:
            for part in contents.read(content_hash):
                held.write(part)
    except DatabaseError as error:
        raise OSError(str(error)) from error
    held.seek(0, io.SEEK_SET)
    return cast("BinaryIO", held)


def copy_contents(db: Path | str, target: Path | str) -> None:
    if contents_path(db).is_file():
        with closing(LogContents(db)) as old, closing(LogContents(target)) as new, new._usable():
            old._con.backup(new._con)


def merge_contents(dbs: Iterable[Path], target: Path) -> None:
    """Keeps all that some ledgers keep for another one, too."""
    for db in dbs:
        if contents_path(db).is_file():
            with closing(LogContents(target)) as contents:
                contents.take_from(db)
