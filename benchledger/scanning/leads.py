"""What stands before a record on its line: mpirun and srun prefixes, dates, progress bars."""

from __future__ import annotations

import re

from benchledger.definitions.format_file import leads
from benchledger.definitions.log_format import COLUMNS
from benchledger.scanning.patterns import parts_pattern
from benchledger.scanning.values import ANSI, decode, to_whole

LEAD_LIMIT = 256
_MOST_PARTS = 8
# A number that its column cannot hold makes a lead an unknown one.
_LARGEST = 2**31


class LeadReader:
    """Matches a lead backwards, repeatedly, by the shared templates; what none takes is kept as text."""

    def __init__(self) -> None:
        self._templates = [
            (re.compile(parts_pattern(template.parts) + rb"[ \t]*+\Z"), [hole.name for hole in template.holes])
            for template in leads()
        ]
        self._known: dict[bytes, tuple[dict[str, int], str | None]] = {}

    def read(self, lead: bytes) -> tuple[dict[str, int], str | None]:
        """The record columns that a lead states (rank), and the text of it that no template takes."""
        if not lead:
            return {}, None
        known = self._known.get(lead)
        if known is None:
            known = self._read(lead[-LEAD_LIMIT:])
            if len(self._known) < 4096:
                self._known[lead] = known
        return known

    def _read(self, lead: bytes) -> tuple[dict[str, int], str | None]:
        columns: dict[str, int] = {}
        rest = ANSI.sub(b"", lead).strip()
        for _ in range(_MOST_PARTS):
            for pattern, names in self._templates:
                match = pattern.search(rest)
                if match is None:
                    continue
                stated = {
                    name: to_whole(raw) for name, raw in zip(names, match.groups(), strict=True) if name in COLUMNS
                }
                if all(value is not None and abs(value) < _LARGEST for value in stated.values()):
                    columns = {name: value for name, value in stated.items() if value is not None} | columns
                    rest = rest[: match.start()].strip()
                    break
            else:
                break
            if not rest:
                return columns, None
        return columns, decode(rest) or None
