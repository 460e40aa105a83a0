"""What stands before a record on its line: mpirun and srun prefixes, dates, progress bars."""

from __future__ import annotations

from datetime import datetime

from benchledger.definitions.format_file import leads
from benchledger.definitions.log_format import COLUMNS
from benchledger.definitions.template import Hole, Template
from benchledger.scanning.patterns import compiled, parts_pattern
from benchledger.scanning.values import ANSI, decode, to_seconds, to_stamp, to_time, to_unix_time, to_whole

LEAD_LIMIT = 256
_MOST_PARTS = 8
# A number that its column cannot hold makes a lead an unknown one, and so does a date that does not exist.
_LARGEST = 2**31

Stated = int | float | str | datetime


class LeadReader:
    """Matches a lead backwards, repeatedly, by the shared templates; what none takes is kept as text."""

    def __init__(self) -> None:
        self._templates = [
            (compiled(_begin(template) + parts_pattern(template.parts) + rb"[ \t]*+\Z"), template.holes)
            for template in leads()
        ]
        self._known: dict[bytes, tuple[dict[str, Stated], str | None]] = {}

    def read(self, lead: bytes) -> tuple[dict[str, Stated], str | None]:
        """The record columns that a lead states (rank, logged_at), and the text of it that no template takes."""
        if not lead:
            return {}, None
        known = self._known.get(lead)
        if known is None:
            known = self._read(lead[-LEAD_LIMIT:])
            if len(self._known) < 4096:
                self._known[lead] = known
        return known

    def _read(self, lead: bytes) -> tuple[dict[str, Stated], str | None]:
        columns: dict[str, Stated] = {}
        rest = ANSI.sub(b"", lead).strip()
        for _ in range(_MOST_PARTS):
            for pattern, holes in self._templates:
                match = pattern.search(rest)
                if match is None:
                    continue
                stated = {
                    hole.name: _column(hole, raw)
                    for hole, raw in zip(holes, match.groups(), strict=True)
                    if hole.name in COLUMNS
                }
                if None not in stated.values():
                    columns = {name: value for name, value in stated.items() if value is not None} | columns
                    rest = rest[: match.start()].strip()
                    break
            else:
                break
            if not rest:
                return columns, None
        return columns, decode(rest) or None


def _begin(template: Template) -> bytes:
    # A number is a rank only by itself: that of `file.cc:161:` is a line. A time is one behind `<stderr>:` too.
    first = template.parts[0]
    return rb"(?<!\S)" if isinstance(first, Hole) and first.type != "time" else b""


def _column(hole: Hole, raw: bytes) -> Stated | None:
    if hole.type == "time":
        return to_time(raw)
    if hole.type == "stamp":
        return to_stamp(raw)
    if hole.type == "unix":
        return to_unix_time(raw)
    if hole.type == "duration":
        return to_seconds(raw)
    if hole.type in ("int", "int,"):
        value = to_whole(raw)
        return value if value is not None and abs(value) < _LARGEST else None
    return float(raw) if hole.type == "float" else decode(raw)
