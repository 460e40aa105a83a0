"""How a file on disk would be recognised now, by today's definitions, and which formats it almost has."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from benchledger.answers.tables.grouping import Row
from benchledger.archives.opening import open_log
from benchledger.archives.streams import Source
from benchledger.scanning.columns import RecordColumns
from benchledger.scanning.content import Counter
from benchledger.scanning.detection import Detector, numbered_blocks
from benchledger.scanning.log_reader import LogReader
from benchledger.scanning.samples import known_formats
from benchledger.scanning.trackers.named_files import name_within

_CHUNK = 8 * 1024 * 1024
# Nearness is looked for in so much of a file; further on the same lines come again.
_LOOKED_AT = 4 * _CHUNK
_REJECTS_SHOWN = 20


def hash_of(path: Path) -> str:
    """The hash by which the ledger would know the content of a file."""
    counter = Counter(None, name_within(str(path.resolve())))
    with open_log(path) as stream:
        while chunk := stream.read(_CHUNK):
            counter.count(chunk)
    return counter.digest()


def recognised_now(path: Path) -> Row:
    """Format, evidence and counts as an ingest would find them; nothing is kept."""
    with ExitStack() as files:

        def begun() -> Source:
            return files.enter_context(open_log(path))

        name = name_within(str(path.resolve()))
        log = LogReader(known_formats()).read(begun(), RecordColumns(), lambda _: False, reopen=begun, name=name)
    found = log.scanned
    return {
        "status": log.status,
        "format": log.format,
        "evidence": log.evidence,
        "bytes": log.bytes,
        "lines": log.lines,
        "pieces": found.pieces,
        "records": found.pieces - sum(found.ignored.values()) - len(found.rejects) - found.unread.lines,
        "ignored": sum(found.ignored.values()),
        "rejects": len(found.rejects),
        "unread": found.unread.lines,
        "first_rejects": [f"line {one.line}: {one.reason}" for one in found.rejects[:_REJECTS_SHOWN]],
    }


def nearest_formats(path: Path) -> list[Row]:
    """The formats of which a line holds a part of a proof, the nearest first, and what that line lacks."""
    formats = {name: one for name, one in known_formats().items() if one.detectable}
    detector, found = Detector(formats), dict[str, tuple[int, str]]()
    with open_log(path) as stream:
        data = stream.read(_LOOKED_AT)
    for block, line in numbered_blocks(data, 1):
        detector.misses(block, line, found)
    near = sorted(found.items(), key=lambda one: (-one[1][0], one[0]))
    return [{"format": name, "bytes_in_common": score, "lacks": why} for name, (score, why) in near]
