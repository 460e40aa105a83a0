"""What the readers of whole files find in a log, in a form that tests compare."""

from __future__ import annotations

import io
from dataclasses import asdict, dataclass
from typing import Any

from benchledger.scanning.columns import RecordColumns
from benchledger.scanning.log_reader import LogReader, ReadLog
from benchledger.scanning.samples import load_formats


@dataclass
class FoundLog:
    """A log that was read: its rows, each with its values and their units by name, and why others are none."""

    log: ReadLog
    rows: list[dict[str, Any]]
    shapes: list[dict[str, Any]]

    @property
    def rejects(self) -> list[str]:
        return [reject.reason.partition(":")[0] for reject in self.log.scanned.rejects]


def find(log: str | bytes, reader: LogReader | None = None) -> FoundLog:
    """Reads a log with every shipped format; each piece is a record, ignored, a reject, or unread."""
    columns = RecordColumns()
    data = log if isinstance(log, bytes) else log.encode()
    found = (reader or LogReader(load_formats())).read(io.BytesIO(data), columns, lambda _: False)
    scanned = found.scanned
    assert (
        scanned.pieces == scanned.records + sum(scanned.ignored.values()) + len(scanned.rejects) + scanned.unread.lines
    )
    layouts = columns.layouts()
    rows = columns.to_arrow([1]).to_pylist()
    for row in rows:
        layout = layouts[row["shape_id"]]
        texts = row["texts"] or [None] * len(row["values"])
        row["record"] = layout.record.name
        row["stated"] = {
            of.name: number if text is None else text
            for of, number, text in zip(layout.values, row["values"], texts, strict=True)
        }
        row["units"] = {of.name: of.unit for of in layout.values}
        row["quantities"] = {of.name: of.quantity for of in layout.values}
    places = [row["byte_offset"] for row in rows]
    assert len(set(places)) == len(places)
    shapes = [asdict(value) for layout in layouts.values() for value in layout.values]
    return FoundLog(found, sorted(rows, key=lambda row: row["byte_offset"]), shapes)
