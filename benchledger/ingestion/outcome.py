"""What an ingest did: one outcome per file, and the sums that must agree."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from operator import attrgetter

from benchledger.scanning.log_reader import NO_TEXT

FILE_STATUSES = (
    "loaded",
    "duplicate",
    "unchanged",
    "superseded",
    "facts",
    "empty",
    "unrecognised",
    "unreadable",
)


# Not frozen: of a tree of many files each is made at every ingest, and that takes a third as long.
@dataclass(slots=True)
class FileOutcome:
    """What became of one file seen: `reason` says why it was not loaded, or which format it has and by what evidence.

    `kept` is what an unchanged or duplicate file was when it was read; `first_rejects` are its first rejects, as
    "line: reason: text". `place`: of what lies in an archive, the path of that and the names that lead to it.
    """

    path: str
    status: str
    reason: str | None = None
    format: str | None = None
    pieces: int = 0
    records: int = 0
    ignored: int = 0
    rejects: int = 0
    kept: str | None = None
    first_rejects: tuple[str, ...] = ()
    place: str | None = None


@dataclass(frozen=True)
class Progress:
    """How far an ingest is: what it is doing, and bytes done of all bytes that it will read."""

    doing: str
    files_done: int
    files_total: int
    bytes_done: int
    bytes_total: int


@dataclass
class IngestResult:
    """Every file's outcome in the order in which it was seen, and what the ledger holds after it.

    `runs` is the number of runs that the files of this ingest belong to, `retold_runs` of those that were derived again
    because a facts.toml says something else now, `moved_runs` of those that lie below a folder that was named only now;
    `unpaired` counts telemetry, profile and
    sidecar logs that no run claims; `stale` counts logs in the ledger that were read under older definitions.
    `foreign` are the formats of logs in the ledger that no definition of today describes: they are kept as they are.
    `unfitting`: what in a facts.toml was said for some files, none of which there is, with its line.
    `archives` were read, or unchanged, had `nested_archives` within, and held `archived_files`; of
    `damaged_archives` a part could not be read.
    `lost_private`: the list of files or the key was missing, so that no file could be skipped as unchanged.
    """

    outcomes: list[FileOutcome] = field(default_factory=list)
    runs: int = 0
    retold_runs: int = 0
    moved_runs: int = 0
    unpaired: int = 0
    stale: int = 0
    lost_private: bool = False
    foreign: tuple[str, ...] = ()
    unfitting: tuple[str, ...] = ()
    archives: int = 0
    archived_files: int = 0
    damaged_archives: int = 0
    nested_archives: int = 0
    bytes_read: int = 0
    seconds: float = 0.0

    @property
    def files(self) -> Counter[str]:
        """Number of files per status; the sum over all statuses is the number of files seen."""
        return Counter(map(attrgetter("status"), self.outcomes))

    @property
    def pieces(self) -> int:
        """Pieces cut from the anchored lines of the logs that were read: records + ignored + rejects."""
        return sum(outcome.pieces for outcome in self.outcomes)

    @property
    def records(self) -> int:
        """Records of the logs that were read."""
        return sum(outcome.records for outcome in self.outcomes)

    @property
    def ignored(self) -> int:
        """Pieces that a format ignores for a stated reason."""
        return sum(outcome.ignored for outcome in self.outcomes)

    @property
    def rejects(self) -> int:
        """Pieces that should have been records and are not; each is kept in table reject."""
        return sum(outcome.rejects for outcome in self.outcomes)


def status_of(format_name: str | None, evidence: str) -> str:
    """What a file is whose content was read, by the format of its log and the evidence for it."""
    return "loaded" if format_name is not None else "empty" if evidence == NO_TEXT else "unrecognised"


def copy_of(status: str, evidence: str) -> tuple[str, str]:
    """Status and reason of a file whose content was seen elsewhere too, by those that the content has."""
    reason = "the same bytes were read before" + ("" if status == "loaded" else f": {evidence}")
    return "empty" if status == "empty" else "duplicate", reason
