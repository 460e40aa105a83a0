"""Recognises the format of a log: by the name of its file, by its beginning, or by most of its lines.

A log without a proof is recognised if nine of ten lines are records of one format, and of no other format. Such a log
is an excerpt, or comes from a release that prints one word less. Another program may print similar lines, so a step may
lack only one literal of a proof, and no name may be unknown.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable
from functools import cached_property

from benchledger.archives.magic_bytes import is_text
from benchledger.definitions.log_format import LogFormat
from benchledger.scanning.detection import BLOCK, Detected, detector_of, numbered_blocks
from benchledger.scanning.file_reader import FileReader
from benchledger.scanning.lines import LineReader
from benchledger.scanning.literal_search import LiteralSearch
from benchledger.scanning.readers import reader_of
from benchledger.scanning.rows import Pieces, Row

# A log without a proof has its first step in so many bytes, or none.
_BODY = 1024 * 1024
# Begins the evidence of such a log.
BY_MAJORITY = "by majority: "
# A step of training says at least one of these.
_MEASURED = frozenset({"loss", "throughput", "step_time", "perplexity"})
_LEAST_STEPS = 10
_SHARE = 0.9
# Another format that reads so many of these lines makes the log ambiguous.
_OTHER_SHARE = 0.1
# So many lines are looked at before a format with fewer than half of them is given up.
_FIRST_LINES = 20
# Each from its beginning: a long line of blanks is searched once.
_LINES = re.compile(rb"(?<![^\r\n])[^\S\r\n]*+\S[^\r\n]*")


class Recogniser:
    """Asks all formats. `reader_of_lines` is the reference reader of a format of lines."""

    def __init__(
        self, formats: dict[str, LogFormat], reader_of_lines: Callable[[LogFormat], LineReader], *, native: bool
    ) -> None:
        self._formats, self._reader_of_lines = formats, reader_of_lines
        self._detector = detector_of(tuple(formats.values()), native=native)
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

    @cached_property
    def _majority(self) -> Majority:
        return Majority(self._formats, self._reader_of_lines)

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


class Majority:
    """Finds the format whose steps are the body of a log; `reader_of` is the reference reader of a format."""

    def __init__(self, formats: dict[str, LogFormat], reader_of: Callable[[LogFormat], LineReader]) -> None:
        self._reader_of = reader_of
        self._formats = [one for one in formats.values() if one.kind == "lines" and one.proofs]
        self._firsts: dict[bytes, list[LogFormat]] = {}
        for one in self._formats:
            if not one.generic and not one.alone and one.role == "train":
                steps = [template for record in one.records if record.kind == "step" for template in record.templates]
                for first in {template.first_literal for template in steps if template.first_literal}:
                    self._firsts.setdefault(first, []).append(one)
        self._search = LiteralSearch(self._firsts)
        self._names: dict[str, frozenset[str]] = {}

    def verdict(self, head: bytes) -> Detected | None:
        """Returns the format that reads nine of ten lines of a log's beginning, from its first step on, or None."""
        firsts: dict[str, list[bytes]] = {}
        for first in self._search.found_in(head):
            for one in self._firsts[first]:
                firsts.setdefault(one.name, []).append(first)
        for log_format in self._formats:
            if log_format.name not in firsts:
                continue
            lines = _body(head, firsts[log_format.name])
            taken = self._steps_and_others(log_format, lines)
            if taken is None:
                continue
            others = (one for one in self._formats if one is not log_format and not one.generic)
            if any(self._reads(other, lines) for other in others):
                return None
            shown = f"{taken} of {len(lines)} lines from the first step on are of {log_format.name}, without its proof"
            return Detected(log_format, BY_MAJORITY + shown)
        return None

    def _steps_and_others(self, log_format: LogFormat, lines: list[bytes]) -> int | None:
        # The number of lines that are its records or ignored; None if these are too few.
        reader, steps, taken = self._reader_of(log_format), 0, 0
        for number, line in enumerate(lines):
            pieces = Pieces()
            reader.read_subline(line, 0, len(line), 1, 0, pieces)
            is_own = not pieces.rejects and all(self._is_known(log_format, row) for row in pieces.rows)
            taken += is_own and bool(pieces.rows or pieces.ignored)
            steps += is_own and any(_is_step(row) for row in pieces.rows) and _begins_like_proof(log_format, line)
            if number >= _FIRST_LINES and taken < number / 2:
                return None
        return taken if steps >= max(_LEAST_STEPS, len(lines) / 2) and taken >= _SHARE * len(lines) else None

    def _is_known(self, log_format: LogFormat, row: Row) -> bool:
        if log_format.name not in self._names:
            self._names[log_format.name] = _names(log_format)
        return all(value.name in self._names[log_format.name] for value in row.layout.values)

    def _reads(self, log_format: LogFormat, lines: list[bytes]) -> bool:
        reader, taken = self._reader_of(log_format), 0
        for line in lines:
            if not any(first in line for first in reader.first_literals):
                continue
            pieces = Pieces()
            reader.read_subline(line, 0, len(line), 1, 0, pieces)
            taken += bool(pieces.rows) and all(
                row.lead is None and self._is_known(log_format, row) for row in pieces.rows
            )
        return taken >= _OTHER_SHARE * len(lines)


def _body(head: bytes, firsts: list[bytes]) -> list[bytes]:
    start = min(head.find(first) for first in firsts)
    start = max(head.rfind(b"\n", 0, start), head.rfind(b"\r", 0, start)) + 1
    return [match.group(0) for match in _LINES.finditer(head, start, start + BLOCK)]


def _is_step(row: Row) -> bool:
    measured = any(value.quantity in _MEASURED for value in row.layout.values)
    return measured and row.layout.record.kind == "step" and row.lead is None and row.note is None


def _begins_like_proof(log_format: LogFormat, line: bytes) -> bool:
    # With the first and last literal of a proof, and all others but one.
    if any(text.encode() in line for text in log_format.unproved):
        return False
    return any(
        proof[0].encode() in line
        and proof[-1].encode() in line
        and sum(text.encode() in line for text in proof) >= len(proof) - 1
        for proof in log_format.proofs
    )


def _names(log_format: LogFormat) -> frozenset[str]:
    """Returns the names that the format knows: those of its fields, facts, holes and samples."""
    names = {name for _, name in log_format.fields} | {one.name for one in log_format.records}
    for fact in log_format.facts:
        names |= {fact.source, *fact.joined}
    for record in log_format.records:
        names |= {hole.name for template in record.templates for hole in template.holes}
    for sample in (*log_format.samples, *log_format.base_samples):
        names.update(name for entry in sample.expect for name in entry)
    return frozenset(names)
