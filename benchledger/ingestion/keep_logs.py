"""Keeps the contents of logs while they are read (`bench ingest --keep-logs`), and reads them again from there."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchledger.archives.magic_bytes import is_text
from benchledger.archives.streams import Source
from benchledger.ingestion.discover import FoundFile
from benchledger.redaction.line_redactor import LineRedactor
from benchledger.redaction.redactor import Redactor
from benchledger.scanning.content import Counter
from benchledger.scanning.log_reader import ReadLog
from benchledger.store.log_contents import WANTED, KeptLog, LogContents, contents_path, kept_contents, open_kept

if TYPE_CHECKING:
    import duckdb

    from benchledger.ingestion.facts_file import FactsFiles
    from benchledger.ingestion.plan import Plan, Work

# A part ends at a line end, where there is one in so many bytes.
PART = 1024 * 1024
_HEAD = 64 * 1024


class Keeping(NamedTuple):
    is_redacted: bool | None = None
    there: frozenset[str] = frozenset()
    dictionary: tuple[int, bytes] | None = None


class LogKeeper:
    """Compresses contents in the process that reads them."""

    def __init__(self, redactor: Redactor, keeping: Keeping) -> None:
        self._redactor = redactor
        self._is_redacted, there, self._dictionary = keeping
        self._there = set(there)
        self._fresh: dict[str, KeptLog] = {}
        self._packed: _Packed | None = None

    def begin(self) -> None:
        """Begins a unit of files; what was kept of one that failed is left out."""
        self._fresh.clear()

    def take(self) -> list[KeptLog]:
        kept = list(self._fresh.values())
        self._there |= self._fresh.keys()
        self._fresh.clear()
        return kept

    def keep(self, log: ReadLog, chunks: Callable[[], Iterable[bytes]], name: str) -> ReadLog:
        if self._wants(log):
            packed = self._pack(name)
            for chunk in chunks():
                packed.feed(chunk)
            self._end(log, packed)
        return log

    def observed(self, stream: Source, name: str) -> Source:
        """Returns a stream that can be read once, so that `keep_observed` can keep what was read of it."""
        if self._is_redacted is None:
            return stream
        self._packed = self._pack(name)
        return _Observed(stream, self._packed)

    def keep_observed(self, log: ReadLog) -> ReadLog:
        """Keeps what was read of the observed stream, and returns the log."""
        if self._packed is not None and self._wants(log):
            self._end(log, self._packed)
        self._packed = None
        return log

    def _wants(self, log: ReadLog) -> bool:
        if self._is_redacted is None or log.status not in ("loaded", "unrecognised", "known"):
            return False
        return log.content_hash not in self._there and log.content_hash not in self._fresh

    def _pack(self, name: str) -> _Packed:
        return _Packed(name, *self._codec, LineRedactor(self._redactor) if self._is_redacted else None)

    @cached_property
    def _codec(self) -> tuple[Callable[[bytes], bytes], Callable[[bytes], bytes]]:
        from backports import zstd

        trained = zstd.ZstdDict(self._dictionary[1]) if self._dictionary is not None else None
        return partial(zstd.compress, zstd_dict=trained), partial(zstd.decompress, zstd_dict=trained)

    def _end(self, log: ReadLog, packed: _Packed) -> None:
        packed.end()
        # A program or picture among the logs is no log; of a binary file nobody can tell what is private. A file that
        # changed meanwhile has another hash.
        is_log = packed.is_text or (log.format is not None and not self._is_redacted)
        if is_log and packed.counter.digest() == log.content_hash:
            dictionary_id = self._dictionary[0] if self._dictionary is not None else None
            self._fresh[log.content_hash] = KeptLog(
                log.content_hash, packed.counter.bytes, bool(self._is_redacted), dictionary_id, tuple(packed.parts)
            )


class _Packed:
    def __init__(
        self,
        name: str,
        compress: Callable[[bytes], bytes],
        decompress: Callable[[bytes], bytes],
        redactor: LineRedactor | None,
    ) -> None:
        self.counter, self.parts, self.is_text = Counter(None, name), list[tuple[int, bytes]](), True
        self._compress, self._decompress, self._redactor = compress, decompress, redactor
        self._rest, self._line = b"", 1

    def feed(self, chunk: bytes) -> None:
        if not self.counter.bytes:
            self.is_text = is_text(chunk[:_HEAD])
        self.counter.count(chunk)
        self._rest += chunk
        start = 0
        while len(self._rest) - start > PART:
            whole = self._rest.rfind(b"\n", start, start + PART) + 1
            # A longer line is cut where no name is cut in two.
            end = whole or max(self._rest.rfind(sign, start, start + PART) for sign in (b" ", b",")) + 1
            end = end if end > start else start + PART
            self._add(self._rest[start:end])
            start = end
        self._rest = self._rest[start:]

    def end(self) -> None:
        if self._rest:
            self._add(self._rest)
        self._rest = b""
        if self._redactor is not None and len(self.parts) > 1:
            # Later parts identified names of earlier ones.
            for place, (line, part) in enumerate(self.parts):
                shown = self._redactor.redact_known(text := self._decompress(part))
                if shown != text:
                    self.parts[place] = line, self._compress(shown)

    def _add(self, part: bytes) -> None:
        shown = self._redactor.redact(part) if self._redactor is not None else part
        self.parts.append((self._line, self._compress(shown)))
        self._line += part.count(b"\n")


class _Observed:
    """A stream whose parts are compressed while they are read."""

    def __init__(self, stream: Source, packed: _Packed) -> None:
        self._stream, self._packed = stream, packed

    def read(self, size: int, /) -> bytes:
        data = self._stream.read(size)
        self._packed.feed(data)
        return data


def keeping_of(db: Path, *, raw: bool, redacted: bool) -> Keeping:
    """Returns how contents are kept: as is asked now, else as the ledger's were kept before."""
    is_redacted: bool | None = redacted if raw or redacted else None
    if is_redacted is None and not contents_path(db).is_file():
        return Keeping()
    with closing(LogContents(db)) as contents:
        if is_redacted is not None and contents.form != is_redacted:
            contents.set_form(is_redacted)
        form = contents.form
        there = frozenset(one for one, is_redacted in contents.forms().items() if is_redacted == form)
        return Keeping(form, there, contents.dictionary())


def store_contents(con: duckdb.DuckDBPyConnection, db: Path, kept: list[KeptLog]) -> None:
    """Stores contents of logs that the ledger has now, before it commits, and removes those that it no longer has."""
    with kept_contents(db) as contents:
        if contents is not None:
            contents.write(kept, {row[0] for row in con.execute(WANTED).fetchall()})


def end_keeping(db: Path, work: Work, provided: dict[str, bytes]) -> None:
    """Ends an ingest: keeps its facts.toml files, also those of archives (`provided`), and trains a dictionary."""
    with kept_contents(db) as contents:
        if contents is None or contents.form is None:
            return
        texts = {file.place: text for file in work.facts if (text := _text_of(file.place)) is not None}
        deleted = [
            place for place in contents.facts() if os.path.isdir(os.path.dirname(place)) and not os.path.exists(place)
        ]
        contents.keep_facts({**texts, **provided}, deleted)
        contents.train()


def provide_kept_facts(facts: FactsFiles, db: Path) -> None:
    """Provides each kept facts.toml whose folder, or archive, is gone."""
    with kept_contents(db) as contents:
        for place, text in (contents.facts() if contents is not None else {}).items():
            if not os.path.isdir(os.path.dirname(place)):
                facts.provide(place, text)


def with_kept(files: list[FoundFile], plan: Plan, con: duckdb.DuckDBPyConnection | None, db: Path) -> list[FoundFile]:
    """Returns files to read again; those that are gone are read from their kept contents, where these are raw."""
    gone = [file for file in files if file.problem is not None]
    with kept_contents(db) as contents:
        forms = contents.forms() if contents is not None and gone and con is not None else {}
    kept = {content_hash for content_hash, is_redacted in forms.items() if not is_redacted}
    if not kept or con is None:
        return files
    found: list[FoundFile] = []
    for file in files:
        places = sorted(plan.wanted.get(file.place, {file.place})) if file.problem is not None else []
        logs = [plan.logs.get(plan.seen[place].log_id or 0) for place in places if place in plan.seen]
        if not logs or any(log is None or log.content_hash not in kept for log in logs):
            found.append(file)
            continue
        plan.wanted.pop(file.place, None)
        for place, log in zip(places, logs, strict=True):
            assert log is not None
            found.append(_from_kept(plan, con, place, log.bytes, partial(open_kept, db, log.content_hash)))
    return found


def _from_kept(plan: Plan, con: duckdb.DuckDBPyConnection, place: str, size: int, opens: Any) -> FoundFile:
    seen = plan.seen[place]
    row = con.execute("select archive, member from sighting where sighting_id = $id", {"id": seen.sighting_id})
    archive, member = row.fetchone() or (None, None)
    file = plan.found_again(seen)
    return replace(file, size=size, mtime_ns=seen.mtime_ns, problem=None, archive=archive, member=member, open=opens)


def _text_of(place: str) -> bytes | None:
    try:
        return Path(place).read_bytes()
    except OSError:
        return None
