"""Both ways to read a log, with all that they find in a form that can be compared."""

from __future__ import annotations

import io
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchledger.definitions.format_file import read_formats
from benchledger.definitions.log_format import LogFormat
from benchledger.scanning import native_scanner
from benchledger.scanning.columns import RecordColumns
from benchledger.scanning.content import with_cut_marked
from benchledger.scanning.lines import LineReader
from benchledger.scanning.log_reader import LogReader, ReadLog
from benchledger.scanning.rows import NEVER_UNFINISHED, Pieces, RejectedPiece, Row
from benchledger.scanning.segment import Segment
from benchledger.scanning.statements import SegmentCollector
from benchledger.scanning.unread import UnreadLayout, UnreadLines

GLUON = 'pairs = { assign = "=", between = ["\\t", " "] }'
DLLOGGER = 'pairs = { assign = " : ", between = ["  "] }'
MEGATRON = 'pairs = { assign = ": ", between = [" | "] }'
PADDLE = 'pairs = { assign = ": ", between = [", "] }'
MMSEG = 'pairs = { assign = ": ", between = [", "] }'
PYTHON_DICT = """pairs = { assign = "': ", between = [", '"], end = "}" }"""


@dataclass
class Found:
    """What a reader found: rows as dictionaries in the order of the log, and the counts."""

    rows: list[dict[str, Any]]
    rejects: list[RejectedPiece]
    ignored: Counter[str]
    pieces: int
    unread: dict[bytes, UnreadLayout]
    segments: list[tuple[object, ...]]


def line_format(folder: Path, text: str) -> LogFormat:
    """The format that a TOML without its first two lines defines."""
    path = folder / "made.toml"
    path.write_text(f'format = "made"\nversion = 1\n{text}', encoding="utf-8")
    return read_formats([path])["made"]


def one_record(folder: Path, template: str, top: str = "", more: str = "") -> LogFormat:
    """A format of one record "step" with one template; `more` belongs to the record."""
    record = f'[[record]]\nname = "step"\nkind = "step"\ntemplates = [{template!r}]\n{more}\n'
    return line_format(folder, f"{top}\n{record}")


def values_of(row: Row) -> dict[str, float | str | None]:
    """The values of a row by name: numbers scaled, or texts."""
    texts = row.texts or [None] * len(row.values)
    return {
        measured.name: number if text is None else text
        for measured, number, text in zip(row.layout.values, row.values, texts, strict=True)
    }


def units_of(row: Row) -> dict[str, str | None]:
    """The units of a row's values by name."""
    return {measured.name: measured.unit for measured in row.layout.values}


# Making a reader compiles the regexes of its format, which takes longer than most logs.
_REFERENCES: dict[int, LineReader] = {}


def read_by_reference(log_format: LogFormat, log: bytes) -> Found:
    """All that the reference reader finds."""
    pieces = reference_of(log_format).read(with_cut_marked(log, len(log), log_format)[0])
    columns, notes = RecordColumns(), SegmentCollector()
    for row in pieces.rows:
        columns.add(row)
        notes.add(row, log_format)
    notes.close(log_format)
    unread = UnreadLines()
    for line, text in pieces.unread:
        unread.add(line, text)
    rejects = pieces.rejects
    if not log.endswith(b"\n"):
        # A last line without its end may be written further.
        ended = log.count(b"\n")
        rejects = [reject for reject in rejects if reject.line <= ended or reject.reason in NEVER_UNFINISHED]
        pieces.ignored["unfinished last line"] += len(pieces.rejects) - len(rejects)
    return _found(columns, rejects, +pieces.ignored, pieces.pieces, unread, notes)


def reference_of(log_format: LogFormat) -> LineReader:
    """The reference reader of a format; it holds the format, so that no other one comes to have the same id."""
    if id(log_format) not in _REFERENCES:
        _REFERENCES[id(log_format)] = LineReader(log_format)
    return _REFERENCES[id(log_format)]


# The reference reader behind the search for literals, and the native scanner where the extension was compiled.
SCANNERS = (False, True) if native_scanner.is_available() else (False,)


def readers(formats: dict[str, LogFormat]) -> list[LogReader]:
    """A reader by each scanner that there is."""
    return [LogReader(formats, native=native) for native in SCANNERS]


def read_by_scanner(reader: LogReader, log: bytes) -> tuple[Found, ReadLog]:
    """All that the scanner finds, with the layouts that it has met before."""
    columns = RecordColumns()
    read = reader.read(io.BytesIO(log), columns, lambda _: False)
    scanned = read.scanned
    found = _found(columns, scanned.rejects, scanned.ignored, scanned.pieces, scanned.unread, scanned.segments)
    assert scanned.records == len(found.rows)
    return found, read


def _found(
    columns: RecordColumns,
    rejects: list[RejectedPiece],
    ignored: Counter[str],
    pieces: int,
    unread: UnreadLines,
    notes: SegmentCollector,
) -> Found:
    rows = columns.to_arrow([1]).to_pylist()
    names = {shape: [value.name for value in layout.values] for shape, layout in columns.layouts().items()}
    for row in rows:
        row["names"] = names[row["shape_id"]]
        # NaN equals nothing, itself neither.
        row["values"] = [repr(value) for value in row["values"]]
        row["clock_s"] = repr(row["clock_s"])
    rows.sort(key=lambda row: row["byte_offset"])
    return Found(rows, rejects, +ignored, pieces, unread.layouts, [_said(segment) for segment in notes.segments])


def _said(segment: Segment) -> tuple[object, ...]:
    lines = (segment.first_line, segment.first_record_line, segment.last_record_line)
    return (*lines, sorted(segment.kinds), segment.statements, segment.event)


def assert_conserved(found: Found | Pieces) -> None:
    """Every piece is a record, ignored, a reject, or an unread line."""
    unread = len(found.unread) if isinstance(found, Pieces) else sum(layout.lines for layout in found.unread.values())
    assert found.pieces == len(found.rows) + sum(found.ignored.values()) + len(found.rejects) + unread
