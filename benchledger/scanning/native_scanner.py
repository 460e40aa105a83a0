"""Scans line formats with the extension in C, and reads by the reference reader the lines that it does not support.

docs/native.md lists what it supports. Without the extension, the reference reader gives the same rows, slower.
"""

from __future__ import annotations

import os
import struct
from functools import cache
from typing import Any

from benchledger.definitions.log_format import KINDS, FactDefinition, LogFormat
from benchledger.definitions.vocabulary import BEGUN, CURRENT, Mode
from benchledger.scanning.columns import RecordColumns
from benchledger.scanning.native_leads import packed_shape
from benchledger.scanning.native_program import Matcher, compiled_format
from benchledger.scanning.native_rows import number_of_layout
from benchledger.scanning.native_stamp import c_stamp, python_stamp
from benchledger.scanning.rows import Pieces
from benchledger.scanning.scanner import ScannedLog, Scanner
from benchledger.scanning.segment import shows_progress, starts_run
from benchledger.scanning.statements import SegmentCollector
from benchledger.scanning.unread import SAMPLE
from benchledger.scanning.values import decode

NOT_COMPILED = (
    "this installation has no native scanner: none was compiled when it was installed. "
    "Cure: install a C compiler (gcc or clang) with Python's headers and benchledger again, or a wheel of "
    "`make wheels` (docs/native.md)"
)
_NOT_LOADED = "the native scanner here cannot be loaded: {}. Cure: install benchledger again (docs/native.md)"
_failure: ImportError | None = None
try:
    from benchledger.scanning import _native
except ImportError as error:
    _native, _failure = None, error  # type: ignore[assignment]

STALE = "the native scanner here was compiled from other sources. Cure: make native"

_REFERENCE, _LAYOUT, _LEAD, _RUN = 1, 2, 3, 4
_FACTS, _NO_TEXT, _BY_REFERENCE, _START, _STEP = 1, 2, 4, 8, 16
_ANY = 0x80000000
_NO_UNIT = 255
# A signature that begins so has the values of a list in place of the last hole.
_LIST = b"\0\xff"


def is_available() -> bool:
    """Tells whether this installation has a usable native scanner."""
    return unavailable_reason() is None


@cache
def unavailable_reason() -> str | None:
    """Returns why this installation has no usable native scanner; None if it has one."""
    stamp: str | None = getattr(_native, "STAMP", None)
    if stamp is None:
        return why_missing(_failure)
    expected = [f"python {python_stamp()}"] + ([f"c {sources}"] if (sources := c_stamp()) else [])
    return None if set(expected) <= set(stamp.split("; ")) else STALE


def why_missing(failure: ImportError | None) -> str:
    """Says why the extension could not be imported: it is not there, or the system cannot load it."""
    if failure is None or isinstance(failure, ModuleNotFoundError) or "cannot import name" in str(failure):
        return NOT_COMPILED
    return _NOT_LOADED.format(failure)


def is_requested() -> bool:
    """Tells whether BENCH_SCANNER does not request the reference reader."""
    return os.environ.get("BENCH_SCANNER") != "python"


def literals(texts: list[bytes]) -> Any:
    """Returns the extension's search for many literals; None if it is not available."""
    if not texts or not is_available():
        return None
    return _native.Literals(b"".join(texts), struct.pack(f"={len(texts)}I", *map(len, texts)))


def missing_reason() -> str | None:
    """Returns why the reference reader is used without a request; None if it is not."""
    return unavailable_reason() if is_requested() else None


class NativeScanner(Scanner):
    """Scans with the extension. It does not support every format: see `native_scanner`."""

    def __init__(self, log_format: LogFormat) -> None:
        super().__init__(log_format)
        compiled = compiled_format(log_format, self.reader.records.layouts.unit_tokens)
        self.runs = compiled is not None and is_available()
        if compiled is not None and self.runs:
            self._matchers, self._reasons = compiled.matchers, compiled.reasons
            self._program = _native.Program(compiled.blob)

    def scan(self, buffer: bytes, end: int, base: int, line: int, log: ScannedLog, columns: RecordColumns) -> int:
        """Adds the pieces of buffer[:end], which begins at offset `base` on line `line`; returns the line after it."""
        rows = columns.native_rows
        scan = _native.Scan(self._program, rows.native, buffer, end, base, line, columns.log)
        while True:
            how, begin, stop, line, matcher, signature, kinds, first, last, phase, asked = scan.run(
                BEGUN.index(log.phase), _kinds_of_run(log.segments)
            )
            log.phase = BEGUN[phase]
            if kinds:
                self._see(kinds, first, last, log, columns)
            if how == _REFERENCE:
                pieces = Pieces(phase=log.phase, scope=log.scope)
                self.reader.read_subline(buffer, begin, stop, line, base, pieces)
                log.phase, log.scope = pieces.phase, pieces.scope
                self.keep(pieces, log, columns)
                scan.skip(stop)
            elif how == _LAYOUT:
                self._add_layout(self._matchers[matcher], matcher, asked, signature)
            elif how == _LEAD:
                self._add_lead(signature)
            elif how == _RUN:
                log.segments.begin_run(line)
            else:
                break
        found, records, notes, ignored = scan.counts()
        log.pieces += found
        log.records += records
        log.notes += notes
        for number, begin, stop in struct.iter_unpack("=3q", scan.unread()):
            log.pieces += 1
            log.unread.add(number, buffer[begin : min(stop, begin + SAMPLE)])
        if any(ignored):
            log.ignored.update({reason: count for reason, count in zip(self._reasons, ignored, strict=True) if count})
        return line

    def _see(self, kinds: int, first: int, last: int, log: ScannedLog, columns: RecordColumns) -> None:
        segment = log.segments.note_records(_kinds_in(kinds), first, last)
        for layout, line, values, texts, times, step, epoch, rank in columns.native_rows.facts():
            if not times:
                segment.note_step(layout, values, line, step, epoch, rank)
                continue
            if starts_run(layout.record, self.format):
                segment.note_start(layout, values, texts, rank)
            log.segments.add_statements(segment, layout, values, texts, line, times)

    def _add_layout(self, found: Matcher, matcher: int, phase: int, signature: bytes) -> None:
        if found.list_hole is not None and signature.startswith(_LIST):
            names = [*found.names[:-1], *_pairs_of(signature[len(_LIST) :])]
        else:
            names = [*found.names, *_pairs_of(signature)]
        record, fields = found.record, self.format.field_of
        layout = self.reader.records.layout_of(record, names, BEGUN[phase])
        # Texts with lists that the program does not read.
        named = (name for name, _ in names if name not in found.expanded)
        expands = any((of := fields(record.name, name)) is not None and of.expand is not None for name in named)
        # What a mode is called is looked up.
        is_mode = isinstance(record.begins_phase, Mode) and any(
            value.name == record.begins_phase.source for value in layout.values
        )
        flags = _FACTS * bool(layout.facts) + _NO_TEXT * expands + _BY_REFERENCE * is_mode
        flags += _START * starts_run(record, self.format) + _STEP * shows_progress(layout)
        facts = [ordinal | _ANY * _says_one_thing(fact) for ordinal, fact, _ in layout.facts]
        scales = struct.pack(f"={len(layout.scales)}d", *layout.scales)
        used = phase if record.phase == CURRENT else 0
        self._program.add_layout(
            matcher, used, signature, number_of_layout(layout), flags, scales, struct.pack(f"={len(facts)}I", *facts)
        )

    def _add_lead(self, lead: bytes) -> None:
        parts, start, end, is_unknown = packed_shape(self.reader.leads.shape_of(lead))
        self._program.add_lead(lead, parts, start, end, is_unknown)


def native_scanner(log_format: LogFormat) -> NativeScanner | None:
    """Returns the native scanner of a format; None without the extension or if it does not support the format."""
    if not is_available():
        return None
    scanner = NativeScanner(log_format)
    return scanner if scanner.runs else None


@cache
def _kinds_in(bits: int) -> tuple[str, ...]:
    return tuple(kind for number, kind in enumerate(KINDS) if bits >> number & 1)


def _kinds_of_run(notes: SegmentCollector) -> int:
    return sum(1 << KINDS.index(kind) for kind in notes.segments[-1].kinds) if notes.segments else 0


def _says_one_thing(fact: FactDefinition) -> bool:
    # Any value states the same.
    counts = fact.repeats or fact.usual or fact.joined or fact.names is not None
    return fact.always is not None and not fact.unless and not counts


def _pairs_of(signature: bytes) -> list[tuple[str, str | None]]:
    pairs: list[tuple[str, Any]] = []
    at = 0
    while at < len(signature):
        key_length, unit_length = signature[at], signature[at + 1]
        key = signature[at + 2 : at + 2 + key_length]
        at += 2 + key_length
        unit = None if unit_length == _NO_UNIT else decode(signature[at : at + unit_length])
        at += 0 if unit is None else unit_length
        pairs.append((decode(key), unit))
    return pairs
