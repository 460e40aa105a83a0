"""Recognises the format of a log: by the name of its file, by its beginning, or by what its lines hold."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable

from benchledger.archives.magic_bytes import is_text
from benchledger.definitions.log_format import LogFormat
from benchledger.scanning.detection import BLOCK, Detected, Detector, numbered_blocks
from benchledger.scanning.file_reader import FileReader
from benchledger.scanning.lines import LineReader
from benchledger.scanning.literal_search import LiteralSearch
from benchledger.scanning.majority import Majority
from benchledger.scanning.readers import reader_of

# A log without a proof has its first step in so many bytes, or none.
_BODY = 1024 * 1024


class Recogniser:
    """Asks all formats. `reader_of_lines` is the reference reader of a format of lines."""

    def __init__(
        self, formats: dict[str, LogFormat], reader_of_lines: Callable[[LogFormat], LineReader], *, native: bool
    ) -> None:
        self._formats, self._reader_of_lines = formats, reader_of_lines
        self._detector = Detector(formats, native=native)
        self._majority = Majority(formats, reader_of_lines)
        found = (reader_of(log_format) for log_format in formats.values())
        # The readers of last resort are asked after all others.
        self._readers = sorted(
            (reader for reader in found if reader is not None), key=lambda one: one.format.kind == "self_describing"
        )
        # The readers of files that their names describe are asked for no others.
        self._named = [reader for reader in self._readers if reader.needs_name]
        self._readers = [reader for reader in self._readers if not reader.needs_name]
        # The readers of files that may fit, by the first byte behind blanks.
        self._by_opening: dict[bytes, list[FileReader]] = {}
        marks = (mark for reader in self._readers for mark in reader.marks)
        self._marks = LiteralSearch(marks, rare=True, native=native)

    def recognise(
        self, chunks: Iterable[bytes], first: bytes, complete: bool, name: str = ""
    ) -> tuple[Detected, FileReader | None]:
        """Returns the format of a log, with the reader of its files; a format of lines has none.

        `chunks` are all of the log, or as much as is read of them; `complete`: `first` is all of it.
        """
        return self._detect_named(first, complete, name) or self._detect_content(chunks, first, complete)

    def _detect_content(
        self, chunks: Iterable[bytes], first: bytes, complete: bool
    ) -> tuple[Detected, FileReader | None]:
        head = unmarked(first)
        if first[8:12] == b"DUCK":
            # A copy of a ledger contains texts of logs.
            return Detected(None, "a DuckDB database: its logs are what can be read"), None
        marks = self._marks.found_in(head)
        for reader in self._opened_by(head[:BLOCK].lstrip()[:1]):
            if reader.marks and marks.isdisjoint(reader.marks):
                continue
            if (why := reader.fits(head, complete)) is not None:
                return Detected(reader.format, why), reader
        best: dict[str, tuple[tuple[int, int], str]] = {}
        miss = (0, "")
        line = 1
        for chunk in chunks:
            if any(self._detector.look(block, at, best) for block, at in numbered_blocks(chunk, line)):
                break
            # Near misses are searched for only in a log without a proof.
            for block, at in numbered_blocks(chunk, line) if not best else ():
                miss = self._detector.nearest(block, at, miss)
            line += chunk.count(b"\n")
        best = best or self._detector.look_loosely(head)
        best = {name: proved for name, proved in best.items() if self._may_be(self._formats[name], head, complete)}
        verdict = self._detector.verdict(self._formats, best)
        if verdict is not None:
            return verdict, None
        if (by_majority := self._majority.verdict(head[:_BODY])) is not None:
            return by_majority, None
        for reader in self._readers:
            if (why := reader.fits_late(head, complete)) is not None:
                return Detected(reader.format, why), reader
        return Detected(None, miss[1] or _unrecognised(first)), None

    def _detect_named(self, first: bytes, complete: bool, name: str) -> tuple[Detected, FileReader] | None:
        for reader in self._named if name else ():
            reader.name = name
            if (why := reader.fits(unmarked(first), complete)) is not None:
                return Detected(reader.format, why), reader
        return None

    def _opened_by(self, opening: bytes) -> list[FileReader]:
        if opening not in self._by_opening:
            readers = [reader for reader in self._readers if not reader.opens or opening in reader.opens]
            self._by_opening[opening] = readers
        return self._by_opening[opening]

    def _may_be(self, log_format: LogFormat, head: bytes, complete: bool) -> bool:
        # A log of a format with `alone` contains only its records; a text that quotes one of its lines is another log.
        return not log_format.alone or (complete and self._reader_of_lines(log_format).holds_only_records(head))


def unmarked(head: bytes) -> bytes:
    """Returns the beginning of a file with blanks for its byte order mark, so that no offset changes."""
    return b"   " + head[3:] if head.startswith(codecs.BOM_UTF8) else head


def _unrecognised(first: bytes) -> str:
    if first[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "UTF-16 text: convert it with `iconv -f UTF-16 -t UTF-8`"
    if not is_text(first[:BLOCK]):
        return "binary: NUL bytes, and no line of a known format"
    return "no line holds the literals of any known format"
