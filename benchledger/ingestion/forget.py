"""`bench forget`: removes logs with all that came from them, and derives the runs near them again."""

from __future__ import annotations

import re
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchledger.errors import NothingFoundError, UsageError, known
from benchledger.ingestion.derive import derive
from benchledger.ingestion.keep_logs import store_contents
from benchledger.ingestion.load import remove_logs, set_ids, sql_text
from benchledger.ingestion.roots import drop_empty_roots, name_campaigns
from benchledger.store.database import open_for_writing
from benchledger.store.default_db import DEFAULT_DB
from benchledger.store.private_file import PrivateFile, log_read_from, private_path
from benchledger.store.writing import closing_written, transaction

if TYPE_CHECKING:
    import duckdb
    import polars as pl

_HASH_SHOWN = 12
_ALL = "bench report logs"
# With fewer digits, a file name or a year could name a log by accident.
_HASH_BEGUN = re.compile(r"[0-9a-fA-F]{6,}")
# Reports print the line number behind a place.
_BY_PLACE = """
with place as (
    select log_id, place_of(path, archive, member) as place, status in ('loaded', 'duplicate') as is_active
    from sighting
    semi join log using (log_id)
)
select distinct log_id
from place
where place = $log or (place = regexp_replace($log, ':\\d+$', '') and not exists (from place where place = $log))
-- An older self that was superseded lay there too.
qualify is_active or not bool_or(is_active) over ()
"""
_LOGS = """
select
    log.content_hash,
    log.log_id,
    log.format,
    log.records,
    log.rejects,
    list_sort(list(distinct place_of(sighting.path, sighting.archive, sighting.member))) as places
from log
left join sighting using (log_id)
where log.log_id in (select id from forgotten)
group by all
order by log.content_hash
"""
_RUNS = """
select distinct run.run_key
from run_log
join run using (run_id)
where run_log.log_id in (select id from forgotten)
order by run.run_key
"""
_NOW = """
select before.run_key, coalesce(same.run_key, other.run_key) as becomes
from before
left join run as same using (run_key)
left join kept.run_alias on run_alias.old_key = before.run_key
left join run as other on other.run_key = run_alias.run_key
order by before.run_key
"""


@dataclass(frozen=True)
class Forgotten:
    """What was removed, or would be (`dry_run`): one row per log, and one per run that had one of them.

    `becomes` is the run's key afterwards (it keeps its other logs), NULL where the run is gone.
    """

    logs: pl.DataFrame
    runs: pl.DataFrame
    dry_run: bool


def forget(*logs: str, dry_run: bool = False, db: Path | str = DEFAULT_DB, wait_s: float = 30.0) -> Forgotten:
    """Removes logs and all that came from them, and derives the runs near them again, in one transaction.

    A log is named by a place where it was seen, as it is shown, by its log_id, by the beginning of its content's hash,
    of at least 6 digits, or by the path of the file that it was read from. The next ingest of the same place reads it
    again; exclusions stay. Raises UsageError for a name that several logs have, NothingFoundError for one that none
    has: then nothing is removed.
    """
    if not logs:
        raise UsageError("give the LOG to forget: its place as it is shown, its log_id, or 6 digits of its hash")
    with closing_written(open_for_writing(db, wait_s, make=False), db) as con:
        if dry_run:
            # Never committed.
            con.execute("begin")
            return _forget(con, db, logs, dry_run)
        with transaction(con, db):
            found = _forget(con, db, logs, dry_run)
        store_contents(con, Path(db), [])
    # Afterwards: after a kill in between, the list has files whose log is missing, and these are read again.
    _forget_places(db, set(found.logs["log_id"]))
    return found


def _find(con: duckdb.DuckDBPyConnection, db: Path | str, log: str) -> int:
    named = con.execute(_BY_PLACE, {"log": log}).fetchall()
    if log.isdecimal() and len(log) < 20:
        named += con.execute("select log_id from log where log_id = ?", [int(log)]).fetchall()
    if _HASH_BEGUN.fullmatch(log):
        begun = "select log_id from log where starts_with(content_hash, lower($log))"
        named += con.execute(begun, {"log": log}).fetchall()
    if not named:
        # By its real path, which only the private list of files knows.
        named = con.execute("select log_id from log where log_id = ?", [log_read_from(db, log)]).fetchall()
    found = sorted({row[0] for row in named})
    if len(found) == 1:
        return int(found[0])
    if found:
        set_ids(con, "forgotten", found)
        hashes = [str(row[0])[:_HASH_SHOWN] for row in con.execute(_LOGS).fetchall()]
        raise UsageError(f"{log!r} names {len(found)} logs; name one by its hash: {known(hashes)}")
    places = "select distinct place_of(path, archive, member) from sighting where log_id is not null"
    there = [row[0] for row in con.execute(places).fetchall()]
    raise NothingFoundError(f"no log {log!r}; known: {known(there, log, _ALL)}. bench show RUN names the logs of a run")


def _forget(con: duckdb.DuckDBPyConnection, db: Path | str, logs: tuple[str, ...], dry_run: bool) -> Forgotten:
    log_ids = sorted({_find(con, db, log) for log in logs})
    set_ids(con, "forgotten", log_ids)
    gone = con.sql(_LOGS).pl()
    con.execute(f"create or replace temp table before as {_RUNS}")
    con.execute(sql_text("forget"))
    near = [row[0] for row in con.execute("select log_id from near_forgotten").fetchall()]
    remove_logs(con, log_ids)
    near += name_campaigns(con)
    drop_empty_roots(con)
    derive(con, near, [])
    return Forgotten(gone, con.sql(_NOW).pl(), dry_run)


def _forget_places(db: Path | str, log_ids: set[int]) -> None:
    if not private_path(db).is_file():
        return
    with closing(PrivateFile(db)) as private:
        files = [file for file in private.seen().values() if file.log_id in log_ids]
        # An archive of which a member was forgotten has to be read again, too.
        private.forget({file.place for file in files} | {file.within for file in files if file.within})
