"""The outcome of a file: how it was recognised, its counts and runs; or why not, also by today's definitions."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from benchledger.answers.rows import frame_asked, rows_asked
from benchledger.answers.tables.grouping import Row
from benchledger.archives.opening import is_archive_of_files, open_log
from benchledger.archives.streams import Source
from benchledger.errors import counted
from benchledger.explaining.explained import ExplainedFile
from benchledger.scanning.columns import RecordColumns
from benchledger.scanning.content import Counter
from benchledger.scanning.detection import Detector, numbered_blocks
from benchledger.scanning.log_reader import LogReader
from benchledger.scanning.samples import known_formats
from benchledger.scanning.trackers.named_files import name_within

if TYPE_CHECKING:
    import duckdb

_BY_HASH = "select log_id from log where content_hash = $content_hash"
# A place as the ledger tells it, or the end of one: what is typed from memory.
_BY_PLACE = """
select distinct sighting.log_id, place_of(path, archive, member) as place
from sighting
where place_of(path, archive, member) = $file
    or path = $file
    or ends_with(place_of(path, archive, member), '/' || $file)
order by place
"""
_IN_ARCHIVE = """
select status, count(*) as files, arg_min(place_of(path, archive, member), path) as first
from sighting
where archive = $archive or ends_with(archive, '/' || $archive)
group by status
order by status
"""
_LOG = "select * from log where log_id = $log_id"
_SIGHTINGS = """
select place_of(path, archive, member) as place, status, reason, campaign, campaign_source, name_rule, modified_at,
    ingested_at
from sighting
where log_id = $log_id or (log_id is null and place_of(path, archive, member) = $file)
order by status <> 'loaded', place
"""
_RUNS = """
select run.run_key, run_log.role, run_log.first_line, run_log.last_line, run_log.paired_by, run.status, bench_case.name
from run_log
join run using (run_id)
join bench_case using (case_id)
where run_log.log_id = $log_id
order by run_log.first_line, run.run_key
"""
_IGNORED = "select reason, pieces from kept.ignored_piece where log_id = $log_id order by pieces desc, reason"
_REJECTS = "select line, record, reason, text from reject where log_id = $log_id order by line, byte_offset"
_SHOWN = 5
_CHUNK = 8 * 1024 * 1024
# Nearness is looked for in so much of a file; further on the same lines come again.
_LOOKED_AT = 4 * _CHUNK
_REJECTS_SHOWN = 20


def file_on_disk(file: str) -> Path | None:
    # Unlike a Path, os.path takes a name that is too long, or has a NUL, for no file.
    return Path(file) if os.path.isfile(file) else None  # noqa: PTH113


def logs_at(con: duckdb.DuckDBPyConnection, file: str) -> list[Row]:
    """The contents that were seen at a place, or at places that end so."""
    found = rows_asked(con, _BY_PLACE, file=file)
    return [row for row in found if row["place"] == file] or found


def explained_file(con: duckdb.DuckDBPyConnection, path: Path) -> ExplainedFile:
    """A file on disk: by its content what the ledger knows of it, and how it would be recognised now."""
    if is_archive_of_files(path):
        sentence = f"{path} is an archive; its members are files of their own."
        none = "The ledger has no file from an archive of this name: bench ingest reads its members."
        return _archive(str(path), sentence, _counts_from(con, path.name) or none)
    known = rows_asked(con, _BY_HASH, content_hash=hash_of(path))
    return explained_content(con, str(path), known[0]["log_id"] if known else None, path)


def explained_known_archive(con: duckdb.DuckDBPyConnection, name: str) -> ExplainedFile | None:
    """The ledger's files of an archive that is not on this disk; None if it knows no archive of this name."""
    counts = _counts_from(con, name)
    return _archive(name, f"{name} is not here. {counts}") if counts else None


def _archive(name: str, *sentences: str) -> ExplainedFile:
    return ExplainedFile(name, sentences, None, None, *(_frame([]) for _ in range(5)))


def _counts_from(con: duckdb.DuckDBPyConnection, archive: str) -> str | None:
    seen = rows_asked(con, _IN_ARCHIVE, archive=archive)
    counts = ", ".join(f"{row['files']} {row['status']} (such as {row['first']})" for row in seen)
    return f"From an archive of this name the ledger has {counts}." if counts else None


def explained_content(
    con: duckdb.DuckDBPyConnection, file: str, log_id: int | None, path: Path | None = None
) -> ExplainedFile:
    """A file by what the ledger keeps of its content, and by what is on disk where it is at hand."""
    queries = (_RUNS, _IGNORED, _REJECTS)
    log = next(iter(rows_asked(con, _LOG, log_id=log_id)), None)
    now = None if path is None else recognised_now(path)
    is_facts = path is not None and path.name == "facts.toml"
    near = [] if path is None or now is None or now["format"] is not None or is_facts else nearest_formats(path)
    sightings = frame_asked(con, _SIGHTINGS, log_id=log_id, file=file)
    runs, ignored, rejects = (frame_asked(con, query, log_id=log_id) for query in queries)
    sentences = [*_known(log, sightings, runs, ignored), *_now(log, now, is_facts), *_near(near, now, is_facts)]
    return ExplainedFile(file, tuple(sentences), log, now, sightings, runs, ignored, rejects, _frame(near))


def _frame(rows: list[Row]) -> pl.DataFrame:
    return pl.DataFrame(rows, infer_schema_length=None)


def _known(log: Row | None, sightings: pl.DataFrame, runs: pl.DataFrame, ignored: pl.DataFrame) -> list[str]:
    if log is None and sightings.is_empty():
        return ["The ledger does not know this content."]
    places = [f"{row['place']} ({row['status']})" for row in sightings.head(_SHOWN).iter_rows(named=True)]
    more = f" and {counted(sightings.height - _SHOWN, 'more place')}" if sightings.height > _SHOWN else ""
    if log is None:
        why = f": {sightings['reason'][0]}" if sightings["reason"][0] else ""
        return [f"The ledger has seen it and keeps no content of it: {places[0]}{why}."]
    size = f"{counted(log['bytes'], 'byte')} in {counted(log['lines'], 'line')}"
    sentences = [f"The ledger knows this content, {size}, from {', '.join(places)}{more}."]
    if log["format"] is None:
        return [*sentences, f"No format claimed it when it was read: {log['evidence']}."]
    counts = f"{log['records']} are records, {log['ignored']} ignored, {log['rejects']} rejects, {log['unread']} unread"
    sentences.append(f"It was recognised as {log['format']} (version {log['format_version']}): {log['evidence']}.")
    sentences.append(f"Of {log['pieces']} pieces {counts}.")
    sentences += [
        f"{row['place']} is {row['reason']}." for row in sightings.iter_rows(named=True) if row["status"] == "document"
    ]
    sentences += [f"Ignored: {row['pieces']} times {row['reason']}." for row in ignored.iter_rows(named=True)]
    roles = [f"{row['run_key']} as its {row['role']} log ({row['paired_by']})" for row in runs.iter_rows(named=True)]
    return [*sentences, f"It belongs to {', '.join(roles)}." if roles else "It belongs to no run."]


def _now(log: Row | None, now: Row | None, is_facts: bool) -> list[str]:
    if now is None:
        return []
    if now["status"] == "empty":
        return ["There is no text in it."]
    if is_facts:
        return ["By its name it states facts about the logs in its folder and below: bench ingest reads it with them."]
    if now["format"] is None:
        return [f"By today's definitions no format claims it: {now['evidence']}."]
    counts = (
        f"{now['records']} records, {now['ignored']} ignored pieces, {now['rejects']} rejects, {now['unread']} unread"
    )
    if log is not None and log["format"] == now["format"]:
        same = all(log[name] == now[name] for name in ("records", "ignored", "rejects", "unread"))
        if same:
            return ["Read now, by today's definitions, it gives the same format and counts."]
        return [f"Read now, by today's definitions, it gives {counts}; bench ingest --refresh takes that over."]
    return [f"Read now it would be recognised as {now['format']}: {now['evidence']}; {counts}."]


def _near(near: list[Row], now: Row | None, is_facts: bool) -> list[str]:
    if now is None or now["format"] is not None or now["status"] == "empty" or is_facts:
        return []
    if not near:
        return ["No line holds as much as the beginning of what a format asks for."]
    return [f"Near is {row['format']}: {row['lacks']}." for row in near[:_SHOWN]]


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
