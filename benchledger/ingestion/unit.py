"""One unit of work: small files together, so that they cost no per-file overhead."""

from __future__ import annotations

from dataclasses import dataclass, field

from benchledger.ingestion.discover import FoundFile
from benchledger.ingestion.read import ToRead

UNIT_BYTES = 8 * 1024 * 1024
UNIT_FILES = 1_000


@dataclass
class Unit:
    """Files that are read together. Those with a problem, and facts.toml, stand among them to keep the order."""

    files: list[FoundFile] = field(default_factory=list)
    to_read: list[ToRead] = field(default_factory=list)
    bytes: int = 0

    @property
    def full(self) -> bool:
        """Whether nothing more belongs into it."""
        return self.bytes >= UNIT_BYTES or len(self.files) >= UNIT_FILES

    def add(self, file: FoundFile, reading: ToRead) -> None:
        """One more file that is to be read."""
        self.files.append(file)
        self.to_read.append(reading)
        self.bytes += reading.size


def units_of(files: list[FoundFile], to_read: list[ToRead]) -> list[Unit]:
    """Files in order, in units of 8 MB and at most 1,000 files."""
    units: list[Unit] = []
    for file, reading in zip(files, to_read, strict=True):
        if not units or units[-1].bytes + reading.size > UNIT_BYTES or units[-1].full:
            units.append(Unit())
        units[-1].add(file, reading)
    return units
