"""Leaves runs out of every table, with a reason. An exclusion outlives its run."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from benchledger.errors import NothingFoundError, UsageError, known
from benchledger.kept import keep
from benchledger.store.database import open_for_reading, open_for_writing
from benchledger.store.default_db import DEFAULT_DB
from benchledger.store.frames import frame_of
from benchledger.store.real_names import redactor_of
from benchledger.store.run_keys import find_run
from benchledger.store.writing import closing_written, transaction

if TYPE_CHECKING:
    import duckdb
    import polars as pl

# The run that each exclusion leads to today, through any number of older keys.
_EXCLUSIONS = """
with recursive reached(excluded_key, run_key) as (
    select run_key, run_key from kept.exclusion
    union
    select reached.excluded_key, run_alias.run_key
    from reached
    join kept.run_alias on run_alias.old_key = reached.run_key
),
there as (
    select reached.excluded_key, run.run_key, run.status, bench_case.name
    from reached
    join run using (run_key)
    join bench_case using (case_id)
)
select
    exclusion.run_key as excluded_key,
    there.run_key,
    there.status,
    there.name,
    exclusion.reason,
    exclusion.excluded_at,
    exclusion.excluded_by
from kept.exclusion
left join there on there.excluded_key = exclusion.run_key
"""
_EXCLUDED_BEFORE = "create or replace temp table excluded_before as select run_id from kept.excluded_run"
_EXCLUDED = "select run_id from excluded_before union select run_id from kept.excluded_run"


def exclude(
    *runs: str,
    reason: str | None = None,
    by: str | None = None,
    undo: bool = False,
    db: Path | str = DEFAULT_DB,
    wait_s: float = 30.0,
) -> pl.DataFrame:
    """Leaves runs out of every table, or with `undo` takes them in again. Returns the exclusions concerned.

    `runs` are keys, beginnings of keys, or former keys. The reason is stored with the time, and with `by` if it is
    given; private names in both are replaced as in logs. A run that is already excluded gets the new reason. Raises
    UsageError without a run or a reason, or if several runs match one beginning. Raises NothingFoundError for a run
    that does not exist, or with `undo` for one that is not excluded. Nothing is written then.
    """
    if not runs:
        raise UsageError("name the RUN to exclude by its key or the start of it; list runs with: bench runs")
    if undo and (reason or by):
        raise UsageError("--undo removes the exclusion: it takes neither --reason nor --by")
    if not undo and not (reason or "").strip():
        raise UsageError("give a reason with --reason TEXT; it is shown wherever the run is listed")
    with closing_written(open_for_writing(db, wait_s, make=False), db) as con, transaction(con, db):
        con.execute(_EXCLUDED_BEFORE)
        if undo:
            left = _undo(con, runs)
            keep(con, _EXCLUDED)
            return left
        keys = sorted({find_run(con, run, db)[0] for run in runs})
        _remove(con, _keys_leading_to(con, keys))
        said = signed(reason, by, db)
        con.executemany("insert into kept.exclusion values (?, ?, ?, ?)", [[key, *said] for key in keys])
        keep(con, _EXCLUDED)
        return _listed(con, keys)


def exclusions(*, db: Path | str = DEFAULT_DB) -> pl.DataFrame:
    """Returns one row per exclusion: the excluded key, its run today, the reason, the time and the person.

    `run_key` is empty if the ledger has no such run (its log was removed); the run stays excluded if it comes back.
    """
    with closing(open_for_reading(db)) as con:
        return frame_of(con.sql(_EXCLUSIONS).order("excluded_at, excluded_key"))


def signed(reason: str | None, by: str | None, db: Path | str) -> list[str | datetime | None]:
    """Returns reason, time and name of a decision as they are stored: private names are replaced as in logs."""
    redactor = redactor_of(db)
    who = redactor.text(by.strip()) if by and by.strip() else None
    return [redactor.text((reason or "").strip()), datetime.now(UTC).replace(tzinfo=None), who]


def _undo(con: duckdb.DuckDBPyConnection, runs: tuple[str, ...]) -> pl.DataFrame:
    gone: set[str] = set()
    for run in runs:
        gone |= _excluded_key(con, run)
    left = _listed(con, sorted(gone))
    _remove(con, sorted(gone))
    return left


def _excluded_key(con: duckdb.DuckDBPyConnection, run: str) -> set[str]:
    # By the excluded key or the run's key today: the exclusion of a missing run can be undone, too.
    rows = con.sql(_EXCLUSIONS).project("excluded_key, run_key").fetchall()
    old = dict(con.execute("select old_key, run_key from kept.run_alias").fetchall())
    exact = {key for key, now in rows if run in (key, now) or (run in old and now == old[run])}
    if exact:
        return exact
    begun = [(key, now) for key, now in rows if run and (key.startswith(run) or (now or "").startswith(run))]
    if len({now or key for key, now in begun}) > 1:
        raise UsageError(f"{run!r} matches several excluded runs: {known((now or key for key, now in begun), run)}")
    if not begun:
        raise NothingFoundError(f"no excluded run {run!r}; excluded: {known((now or key for key, now in rows), run)}")
    return {key for key, _ in begun}


def _keys_leading_to(con: duckdb.DuckDBPyConnection, keys: list[str]) -> list[str]:
    rows = con.sql(_EXCLUSIONS).project("excluded_key, run_key").fetchall()
    return [excluded for excluded, now in rows if excluded in keys or now in keys]


def _remove(con: duckdb.DuckDBPyConnection, keys: list[str]) -> None:
    for key in keys:
        con.execute("delete from kept.exclusion where run_key = ?", [key])


def _listed(con: duckdb.DuckDBPyConnection, keys: list[str]) -> pl.DataFrame:
    import polars as pl

    return frame_of(con.sql(_EXCLUSIONS).order("excluded_key")).filter(pl.col("excluded_key").is_in(keys))
