"""Lists the runs of the ledger, newest first."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchledger.answers.filters import MACHINE_COLUMNS, Filters, read_filters
from benchledger.answers.notebook import Frame
from benchledger.answers.rows import reading
from benchledger.errors import UsageError
from benchledger.store.default_db import DEFAULT_DB
from benchledger.store.frames import frame_of
from benchledger.store.run_keys import need_runs

if TYPE_CHECKING:
    import duckdb

# A run of two campaigns has two rows, so that a filter by either finds it.
_RUNS = """
select
    run.run_key,
    run_time.started_at,
    run_time.time_source,
    run.status,
    run.reason,
    run_campaign.campaign,
    bench_case.*,
    environment.system,
    environment.gpu_model,
    environment.framework_version,
    run.steps_done,
    run.steps_planned,
    excluded.reason as excluded,
    run.run_id
from run
join kept.run_time using (run_id)
join bench_case using (case_id)
join environment using (environment_id)
left join kept.run_campaign using (run_id)
left join kept.excluded_run as excluded on excluded.run_id = run.run_id
"""
# A file's time is often that of packing. It must not put an old run before one whose log states its time.
NEWEST_FIRST = "coalesce(time_source in ('log', 'manifest'), false) desc, started_at desc nulls last, run_key, campaign"


def runs(
    *,
    db: Path | str = DEFAULT_DB,
    campaign: str | None = None,
    status: str | list[str] | None = None,
    limit: int | None = None,
    **case_columns: object,
) -> Frame:
    """Returns one row per run and campaign, newest first: key, start and its source, status, campaign, case, steps.

    Runs dated only by file time are listed last. Raises NothingFoundError if no run meets the filters, UsageError for
    an unknown column.
    """
    if limit is not None and limit < 1:
        raise UsageError(f"limit is {limit}, must be 1 or more")
    filters = read_filters(campaign, {**case_columns, "status": status}, extra=[*MACHINE_COLUMNS, "status"])
    with reading(db) as con:
        every = all_runs(con)
        need_matching_runs(con, db, every, filters)
        found = filters.apply(every).order(NEWEST_FIRST)
        return Frame(frame_of(found if limit is None else found.limit(min(limit, sys.maxsize))))


def all_runs(con: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyRelation:
    return con.sql(_RUNS)


def need_matching_runs(
    con: duckdb.DuckDBPyConnection, db: Path | str, every: duckdb.DuckDBPyRelation, filters: Filters
) -> None:
    """Raises NothingFoundError, with the known values, if no run meets the filters."""
    if filters.apply(every).limit(1).fetchone() is None:
        need_runs(con, db)
        raise filters.explain(every, "run")


def place_of(row: Mapping[str, Any]) -> str:
    if row["path"] is None:
        return "" if row["line"] is None else f"line {row['line']}"
    line = "" if row["line"] is None else f":{row['line']}"
    return f"{row['path']}{line}"
