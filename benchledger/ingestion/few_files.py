"""What a ledger knows of a few files: an ingest of these need not read all that it knows."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from benchledger.archives.disk_file import open_file
from benchledger.archives.magic_bytes import HEAD, is_archive
from benchledger.ingestion.discover import FoundFile, is_below
from benchledger.ingestion.load import set_ids
from benchledger.store.private_file import PrivateFile, SeenFile

if TYPE_CHECKING:
    import duckdb

# Of more files all is read: to look up so many takes some hundredths of a second.
MOST = 500


def seen_at(files: list[FoundFile], private: PrivateFile, tops: Iterable[str]) -> dict[str, SeenFile] | None:
    """Returns what was seen before at the places of a few plain files, and every facts.toml that was seen.

    Returns None where an ingest needs all that was seen: for archives, for a facts.toml that has changed, and for one
    below `tops`, whose matches are all looked up.
    """
    if len(files) > MOST or private.is_new or any(file.open is not None for file in files):
        return None
    seen = private.seen(file.place for file in files)
    for file in files:
        before = seen.get(file.place)
        is_same = before is not None and (before.size, before.mtime_ns) == (file.size, file.mtime_ns)
        is_matched = file.is_facts and any(is_below(os.path.dirname(file.place), top) for top in tops)
        if is_matched or (not is_same and file.is_facts) or _is_packed(file):
            return None
    return seen


def make_candidates(con: duckdb.DuckDBPyConnection, files: list[FoundFile], seen: dict[str, SeenFile]) -> None:
    """Makes temp tables `candidate_log`, the logs that these files can be, and `candidate_sighting`, their sightings.

    Candidates are the logs read from the same places, and all of the same size, since a copy has as many bytes.
    """
    set_ids(con, "candidate_bytes", (file.size for file in files))
    set_ids(con, "seen_log", (one.log_id for one in seen.values() if one.log_id is not None))
    set_ids(con, "seen_sighting", (one.sighting_id for one in seen.values()))
    con.execute(
        """create or replace temp table candidate_log as
           from log where bytes in (select id from candidate_bytes) or log_id in (select id from seen_log);
           create or replace temp table candidate_sighting as
           from sighting
           where log_id in (select log_id from candidate_log) or sighting_id in (select id from seen_sighting)"""
    )


def _is_packed(file: FoundFile) -> bool:
    try:
        with open_file(file.place) as opened:
            return is_archive(opened.read(HEAD))
    except OSError:
        # It is accounted for when it is read.
        return False
