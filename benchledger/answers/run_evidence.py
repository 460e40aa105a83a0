"""The evidence for runs: their logs, the statements about them with their places, and the contradictions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchledger.answers.series import frame_asked

if TYPE_CHECKING:
    import duckdb
    import polars as pl

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
        place_of(sighting.path, sighting.archive, sighting.member)
            || coalesce(':' || fact.line, '')
    ) as place
from fact
join run using (run_id)
left join (
    select run_id, log_id, min(sighting_id) as sighting_id
    from run_log
    group by all
) as seen on seen.run_id = fact.run_id and seen.log_id = fact.log_id
left join sighting on sighting.sighting_id = coalesce(fact.sighting_id, seen.sighting_id)
where list_contains($runs, fact.run_id)
order by run.run_key, fact.name, not fact.used, fact.source, fact.value, place
"""
_CONFLICTS = """
select run.run_key, conflict.* exclude (run_id)
from conflict
join run using (run_id)
where list_contains($runs, conflict.run_id)
order by all
"""


def logs_of(con: duckdb.DuckDBPyConnection, runs: list[int]) -> pl.DataFrame:
    """Returns the logs of runs: place, role, lines, format, counts, and how each was matched to its run."""
    return frame_asked(con, _LOGS, runs=runs)


def facts_stated(con: duckdb.DuckDBPyConnection, runs: list[int]) -> pl.DataFrame:
    """Returns every statement about some runs, with source and place; `used` marks those that count."""
    return frame_asked(con, _FACTS, runs=runs)


def conflicts_of(con: duckdb.DuckDBPyConnection, runs: list[int]) -> pl.DataFrame:
    """Returns the statements about some runs that contradict those that count."""
    return frame_asked(con, _CONFLICTS, runs=runs)
