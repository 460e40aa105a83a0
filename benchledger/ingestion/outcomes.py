"""What became of a file: its status, with the reason; and which files are documents, of which no run comes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from benchledger.definitions.log_format import LogFormat
from benchledger.definitions.names import DocumentNames
from benchledger.scanning.log_reader import NO_TEXT

# The status of a place with a page or script, which quotes log lines: no run comes of it.
DOCUMENT = "document"
# Why an older content of a place is superseded.
SUPERSEDED = "it has grown, or was changed"
FILE_STATUSES = (
    "loaded",
    "duplicate",
    "unchanged",
    "superseded",
    DOCUMENT,
    "facts",
    "empty",
    "unrecognised",
    "unreadable",
)
# Of a file with such a status no row is in any table of results.
FAULTY = ("unrecognised", "unreadable")
LEFT_OUT = (*FAULTY, "empty")


# Not frozen: one is made per file at every ingest, and that takes a third as long.
@dataclass(slots=True)
class FileOutcome:
    """The outcome of one file. `reason`: why it was not loaded, or the evidence for its format.

    `kept` is the status of an unchanged or duplicate file when it was read; `first_rejects` are its first rejects, as
    "line: reason: text". `place` of a member: the path of its archive and the names that lead to it.
    """

    path: str
    status: str
    reason: str | None = None
    format: str | None = None
    pieces: int = 0
    records: int = 0
    ignored: int = 0
    rejects: int = 0
    unread: int = 0
    kept: str | None = None
    first_rejects: tuple[str, ...] = ()
    place: str | None = None


class KnownLog(NamedTuple):
    log_id: int
    content_hash: str
    bytes: int
    format: str | None
    definitions_hash: str
    evidence: str
    pieces: int
    records: int
    ignored: int
    rejects: int
    unread: int
    first_rejects: tuple[str, ...] = ()

    @property
    def status(self) -> str:
        return status_of(self.format, self.evidence)


class Documents:
    """Tells documents from logs, by name and beginning. What `documents = true` says of its format reads both."""

    def __init__(self, names: DocumentNames, formats: dict[str, LogFormat]) -> None:
        self._names = names
        self._quoted = {name for name, known in formats.items() if not known.documents}

    def why(self, path: str, beginning: str, format_name: str | None, evidence: str) -> str | None:
        """Why a file with this content is a document; None for a log."""
        if format_name not in self._quoted:
            return None
        kind = self._names.kind(path.rpartition("/")[2], beginning)
        return f"{kind}, which quotes {format_name}: {evidence}" if kind is not None else None


def status_of(format_name: str | None, evidence: str) -> str:
    return "loaded" if format_name is not None else "empty" if evidence == NO_TEXT else "unrecognised"


def copy_of(status: str, evidence: str) -> tuple[str, str]:
    """Status and reason of a second file with the same content, by the status and evidence of the first."""
    reason = "the same bytes were read before" + ("" if status == "loaded" else f": {evidence}")
    return "empty" if status == "empty" else "duplicate", reason
