"""One run: logs, facts with sources, speeds, memory, convergence, and the reason of its status."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from benchledger.answers.notebook import Answer
from benchledger.answers.rows import frame_asked, reading, rows_asked
from benchledger.answers.tables.grouping import Row
from benchledger.store.default_db import DEFAULT_DB
from benchledger.store.run_keys import find_run

if TYPE_CHECKING:
    import duckdb


_LOGS = """
select run.run_key, run_log.role, place_of(sighting.path, sighting.archive, sighting.member) as log,
    run_log.first_line, run_log.last_line, run_log.devices, log.format, log.records, log.ignored, log.rejects,
    run_log.paired_by, run_log.log_id
from run_log
join run using (run_id)
left join log using (log_id)
left join sighting using (sighting_id)
where list_contains($runs, run_log.run_id)
order by run.run_key, run_log.role <> 'train', run_log.role, sighting.path, run_log.first_line
"""
_FACTS = """
select run.run_key, fact.name, fact.value, fact.value_logged, fact.used, fact.source,
    coalesce(
        fact.place,
        coalesce(place_of(sighting.path, sighting.archive, sighting.member), run_log_place.place)
            || coalesce(':' || fact.line, '')
    ) as place
from fact
join run using (run_id)
left join sighting on sighting.sighting_id = fact.sighting_id
left join kept.run_log_place on run_log_place.run_id = fact.run_id and run_log_place.log_id = fact.log_id
where list_contains($runs, fact.run_id)
order by run.run_key, fact.name, not fact.used, fact.source, fact.value, place, fact.value_logged
"""
_CONFLICTS = """
select run.run_key, conflict.* exclude (run_id)
from conflict
join run using (run_id)
where list_contains($runs, conflict.run_id)
order by all
"""
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
where run_id in (select unnest($runs))
"""
_CAMPAIGNS = "select run_id, campaign from kept.run_campaign where run_id in (select unnest($runs)) order by campaign"
_EXCLUDED = """
select run_id, reason, excluded_at, excluded_by
from kept.excluded_run
where run_id in (select unnest($runs))
"""
_SPEEDS = """
select run_id, rule, is_default, phase, value, unit, records_used, records_skipped, status, reason
from run_speed
where run_id in (select unnest($runs))
order by not is_default, rule, phase, unit
"""
_MEMORY = """
select run_id, definition, device, value_mib, records_used
from run_memory
where run_id in (select unnest($runs))
order by definition, device
"""
# The mean of the last losses, and the best value of each metric.
_CONVERGENCE = """
with convergence as (
    select run_id, 'final' as which, name, coalesce(mean_loss, loss) as value, null as unit, epoch, step, seconds,
        log_id, line
    from kept.loss_curve
    where run_id in (select unnest($runs)) and is_main and nth = losses
    union all
    (select run_id, 'best', name, value, unit, epoch, step, seconds, log_id, line
    from kept.evaluation
    where run_id in (select unnest($runs)) and isfinite(value)
    qualify row_number() over (partition by run_id, name order by if(higher_is_better, -value, value), nth) = 1)
)
select convergence.* exclude (log_id, line), place.path || ':' || convergence.line as place
from convergence
join place_of_log('*') as place using (log_id)
order by which desc, name
"""
_SERIES = """
select series_run.run_id, series_run.series_id, series_run.trial, series.campaign, series.mixed
from kept.series_run
join series using (series_id)
where series_run.run_id in (select unnest($runs))
order by series.campaign
"""
_DECIDED = """
select run.run_id, run.status, run.reason, segment.event_text as text,
    run_log_place.place || coalesce(':' || run.status_line, '') as place
from run
left join kept.run_log_place on run_log_place.run_id = run.run_id and run_log_place.log_id = run.status_log_id
left join kept.segment on segment.log_id = run.status_log_id and segment.event_line = run.status_line
where run.run_id in (select unnest($runs))
qualify row_number() over (partition by run.run_id) = 1
"""
_ROWS = {"run": _RUN, "campaigns": _CAMPAIGNS, "status": _DECIDED, "excluded": _EXCLUDED}
_FRAMES = {"speeds": _SPEEDS, "memory": _MEMORY, "convergence": _CONVERGENCE, "series": _SERIES}


def logs_of(con: duckdb.DuckDBPyConnection, runs: list[int]) -> pl.DataFrame:
    """Returns the logs of runs: place, role, lines, format, counts, and how each was matched to its run."""
    return frame_asked(con, _LOGS, runs=runs)


def facts_stated(con: duckdb.DuckDBPyConnection, runs: list[int]) -> pl.DataFrame:
    """Returns every statement about some runs, with source and place; `used` marks those that count."""
    return frame_asked(con, _FACTS, runs=runs)


def conflicts_of(con: duckdb.DuckDBPyConnection, runs: list[int]) -> pl.DataFrame:
    """Returns the statements about some runs that contradict those that count."""
    return frame_asked(con, _CONFLICTS, runs=runs)


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
        run_key, run_id = find_run(con, run, db)
        return details_of(con, {run_id: run_key})[run_id]


def details_of(con: duckdb.DuckDBPyConnection, runs: Mapping[int, str]) -> dict[int, RunDetail]:
    ids = list(runs)
    rows = {name: _rows_by_run(con, query, ids) for name, query in _ROWS.items()}
    frames = {name: frames_by_run(frame_asked(con, query, runs=ids), runs) for name, query in _FRAMES.items()}
    keys = {key: run_id for run_id, key in runs.items()}
    evidence = {"logs": logs_of(con, ids), "facts": facts_stated(con, ids)}
    for name, frame in evidence.items():
        frames[name] = {keys[key]: found for key, found in frames_by_run(frame, keys, "run_key").items()}
    return {
        run_id: RunDetail(
            run_key=run_key,
            run=rows["run"][run_id][0] | {"run_id": run_id},
            campaigns=tuple(row["campaign"] for row in rows["campaigns"].get(run_id, [])),
            status=rows["status"][run_id][0],
            excluded=next(iter(rows["excluded"].get(run_id, [])), None),
            **{name: found[run_id] for name, found in frames.items()},
        )
        for run_id, run_key in runs.items()
    }


def frames_by_run(frame: pl.DataFrame, runs: Iterable[Any], column: str = "run_id") -> dict[Any, pl.DataFrame]:
    """Returns the rows of each run in their order, without the column that names it; maybe none."""
    parts = frame.partition_by(column, as_dict=True, include_key=False, maintain_order=True)
    none = frame.clear().drop(column)
    return {run: parts.get((run,), none) for run in runs}


def _rows_by_run(con: duckdb.DuckDBPyConnection, query: str, runs: list[int]) -> dict[int, list[Row]]:
    found: dict[int, list[Row]] = {}
    for row in rows_asked(con, query, runs=runs):
        found.setdefault(row.pop("run_id"), []).append(row)
    return found
