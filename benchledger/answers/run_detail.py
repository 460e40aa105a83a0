"""One run: logs, facts with sources, speeds, memory, convergence, and the reason of its status."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchledger.answers.notebook import Answer
from benchledger.answers.read_only import reading
from benchledger.answers.run_evidence import facts_stated, logs_of
from benchledger.answers.series import frame_asked, rows_of
from benchledger.answers.tables.grouping import Row
from benchledger.store.default_db import DEFAULT_DB
from benchledger.store.run_keys import find_run

if TYPE_CHECKING:
    import duckdb
    import polars as pl

_RUN = """
select
    run.* replace (
        run_time.started_at as started_at, run_time.ended_at as ended_at, run_time.time_source as time_source
    ),
    bench_case.* exclude (case_id), environment.* exclude (environment_id)
from run
join kept.run_time using (run_id)
join bench_case using (case_id)
join environment using (environment_id)
where run_id = $run_id
"""
_CAMPAIGNS = "select campaign from kept.run_campaign where run_id = $run_id order by campaign"
_EXCLUDED = "select reason, excluded_at, excluded_by from kept.excluded_run where run_id = $run_id"
_SPEEDS = """
select rule, is_default, phase, value, unit, records_used, records_skipped, status, reason
from run_speed
where run_id = $run_id
order by not is_default, rule, phase, unit
"""
_MEMORY = """
select definition, device, value_mib, records_used
from run_memory
where run_id = $run_id
order by definition, device
"""
# The mean of the last losses, and the best value of each metric.
_CONVERGENCE = """
with told as (
    select 'final' as which, name, coalesce(mean_loss, loss) as value, null as unit, epoch, step, seconds, log_id, line
    from kept.loss_curve
    where run_id = $run_id and is_main and nth = losses
    union all
    (select 'best', name, value, unit, epoch, step, seconds, log_id, line
    from kept.evaluation
    where run_id = $run_id and isfinite(value)
    qualify row_number() over (partition by name order by if(higher_is_better, -value, value), nth) = 1)
)
select told.* exclude (log_id, line), place.path || ':' || told.line as place
from told
join place_of_log('*') as place using (log_id)
order by which desc, name
"""
_SERIES = """
select series_run.series_id, series_run.trial, series.campaign, series.mixed
from kept.series_run
join series using (series_id)
where series_run.run_id = $run_id
order by series.campaign
"""
_DECIDED = """
select run.status, run.reason, segment.event_text as text,
    place_of(sighting.path, sighting.archive, sighting.member)
        || coalesce(':' || run.status_line, '') as place
from run
left join (
    select log_id, min(sighting_id) as sighting_id
    from run_log
    where run_id = $run_id
    group by all
) as seen on seen.log_id = run.status_log_id
left join sighting on sighting.sighting_id = seen.sighting_id
left join kept.segment on segment.log_id = run.status_log_id and segment.event_line = run.status_line
where run.run_id = $run_id
limit 1
"""


@dataclass(frozen=True, repr=False)
class RunDetail(Answer):
    """Everything that the ledger knows about one run; each frame names its sources in its columns.

    `excluded` has reason, time and person if the run is excluded, else None.
    """

    run_key: str
    run: Row
    campaigns: tuple[str, ...]
    status: Row
    excluded: Row | None
    logs: pl.DataFrame
    facts: pl.DataFrame
    speeds: pl.DataFrame
    memory: pl.DataFrame
    convergence: pl.DataFrame
    series: pl.DataFrame


def show_run(run: str, *, db: Path | str = DEFAULT_DB) -> RunDetail:
    """Returns one run by its key, an unambiguous beginning of it, or a former key.

    Raises NothingFoundError for a key that no run has, UsageError for a beginning that several runs have.
    """
    with reading(db) as con:
        return detail_of(con, *find_run(con, run, db))


def detail_of(con: duckdb.DuckDBPyConnection, run_key: str, run_id: int) -> RunDetail:
    """Returns everything about one run by its key and id."""
    asked = {"run_id": run_id}
    return RunDetail(
        run_key=run_key,
        run=rows_of_query(con, _RUN, run_id)[0],
        campaigns=tuple(row["campaign"] for row in rows_of_query(con, _CAMPAIGNS, run_id)),
        status=rows_of_query(con, _DECIDED, run_id)[0],
        excluded=next(iter(rows_of_query(con, _EXCLUDED, run_id)), None),
        logs=logs_of(con, [run_id]).drop("run_key"),
        facts=facts_stated(con, [run_id]).drop("run_key"),
        speeds=frame_asked(con, _SPEEDS, **asked),
        memory=frame_asked(con, _MEMORY, **asked),
        convergence=frame_asked(con, _CONVERGENCE, **asked),
        series=frame_asked(con, _SERIES, **asked),
    )


def rows_of_query(con: duckdb.DuckDBPyConnection, query: str, run_id: int) -> list[Row]:
    """Returns the rows of a query about one run."""
    return rows_of(con.sql(query, params={"run_id": run_id}))
