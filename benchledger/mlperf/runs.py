"""The submissions of the ledger: series of MLPerf runs with their score, and the facts that each run's log states."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchledger.answers.filters import Filters
from benchledger.answers.rows import rows_asked, rows_of
from benchledger.answers.tables.grouping import Row, by_column
from benchledger.definitions.submissions import Suite

if TYPE_CHECKING:
    import duckdb

_SCORES = """
select speed_table.*
from speed_table
join (select unnest($scores) as rule) as asked using (rule)
where speed_table.is_default
"""
# The facts in each run's log, its last evaluation before its stop (later ones belong to another pass), and its time
# span.
_RUNS = """
with member as (
    select series_run.series_id, series_run.run_id, series_run.trial
    from kept.series_run
    where list_contains($series, series_run.series_id)
),
ended as (
    select run_id, log_id, max(byte_offset) as end_at
    from kept.run_record
    where run_id in (select run_id from member) and label = $stop
    group by run_id, log_id
),
reached as (
    select run_id, name, arg_max(value, place) as value
    from (select *, byte_offset as place from measurement)
    join ended using (run_id, log_id)
    where place < end_at
        and value is not null
        and (phase = 'validation' and list_contains($counted, name) or list_contains($apart, name))
    group by run_id, name
),
took as (
    select run_id, map(list(name), list(rounded(value, $rounding, $rounding_digits))) as took
    from reached
    group by run_id
),
stated as (
    select
        run_id,
        max(text) filter (where name = $benchmark) as benchmark,
        max(text) filter (where name = $submitter) as submitter,
        max(text) filter (where name = $division) as division,
        max(text) filter (where name = $availability) as availability,
        max(text) filter (where name = $system) as system,
        max(value) filter (where name = $batch_size) as global_batch_size
    from measurement
    where run_id in (select run_id from member)
    group by run_id
),
span as (
    select
        run_id,
        epoch_ms(min(logged_at) filter (where label = $start)) as start_ms,
        epoch_ms(max(logged_at) filter (where label = $stop)) as stop_ms
    from kept.run_record
    where run_id in (select run_id from member) and label in ($start, $stop)
    group by run_id
),
-- How many more files of one folder have the bytes of a log; if the log holds several runs, the first run has them.
copies as (
    select min(run_id) as run_id, campaign, max(files) - 1 as copies
    from (
        select run_log.run_id, run_log.log_id, sighting.campaign, sighting.folder, count(*) as files
        from (select distinct run_id, log_id, role from run_log semi join member using (run_id)) as run_log
        join sighting using (log_id)
        where role = 'train' and sighting.status in ('loaded', 'duplicate')
        group by all
    )
    group by log_id, campaign
)
select member.series_id, member.run_id, member.trial, run.run_key, coalesce(copies.copies, 0) as copies,
    coalesce(run_speed.is_trial, false) and span.start_ms is not null and span.stop_ms is not null as converged,
    stated.* exclude (run_id), took.took, span.start_ms, span.stop_ms, fact.value as score_factor
from member
join run using (run_id)
join series using (series_id)
left join copies on copies.run_id = member.run_id and copies.campaign is not distinct from series.campaign
left join run_speed on run_speed.run_id = member.run_id and run_speed.rule = $rule and run_speed.phase = 'train'
left join stated on stated.run_id = member.run_id
left join took on took.run_id = member.run_id
left join span on span.run_id = member.run_id
left join fact on fact.run_id = member.run_id and fact.name = $factor and fact.used
order by member.series_id, member.trial, run.run_key
"""


def scored(con: duckdb.DuckDBPyConnection, scores: tuple[str, ...], filters: Filters) -> list[Row]:
    """Returns the series whose default rule is one of these scores, by campaign and case."""
    found = con.sql(_SCORES, params={"scores": list(scores)})
    return rows_of(filters.apply(found).order("campaign nulls last, name, series_id"))


def runs_of(con: duckdb.DuckDBPyConnection, series: list[Row], suite: Suite) -> dict[int, list[Row]]:
    """Returns the runs of each series with the facts of their logs; `took` is what they took to the target, by name."""
    names: dict[str, object] = {
        "counted": list(suite.counted.values()),
        "apart": sorted(set(suite.apart.values())),
        **suite.log,
    }
    names |= {"rounding": suite.points_rounding.method, "rounding_digits": suite.points_rounding.digits}
    found: dict[int, list[Row]] = {}
    for rule, rows in by_column(series, "rule").items():
        asked = [row["series_id"] for row in rows]
        runs = rows_asked(con, _RUNS, series=asked, rule=rule, **names)
        found |= by_column(runs, "series_id")
    return found
