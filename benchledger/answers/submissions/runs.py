"""The submissions of the ledger: series of MLPerf's runs with their score, and what each run's log says of itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchledger.answers.filters import Filters
from benchledger.answers.grouping import Row, grouped
from benchledger.answers.series import rows_asked, rows_of

if TYPE_CHECKING:
    import duckdb

_SCORES = """
select speed_table.*
from speed_table
join (select unnest($scores) as rule) as asked using (rule)
where speed_table.is_default
"""
# Of each run what its log states, the last evaluation before its end (what stands behind that is of another pass), and
# from when to when it ran.
_RUNS = """
with member as (
    select series_run.series_id, series_run.run_id, series_run.trial
    from series_run
    where list_contains($series, series_run.series_id)
),
ended as (
    select run_id, log_id, max(byte_offset) as end_at
    from run_record
    where run_id in (select run_id from member) and label = 'run_stop'
    group by run_id, log_id
),
reached as (
    select
        run_id,
        arg_max(value, place) filter (where name = 'epoch_num' and phase = 'validation') as epochs,
        arg_max(value, place) filter (where name = 'samples_count' and phase = 'validation') as samples,
        arg_max(value, place) filter (where list_contains($apart, name)) as apart
    from (select *, byte_offset as place from measurement)
    join ended using (run_id, log_id)
    where place < end_at
    group by run_id
),
said as (
    select
        run_id,
        max(text) filter (where name = 'submission_benchmark') as benchmark,
        max(text) filter (where name = 'submission_org') as submitter,
        max(text) filter (where name = 'submission_division') as division,
        max(text) filter (where name = 'submission_status') as availability,
        max(text) filter (where name = 'submission_platform') as system,
        max(value) filter (where name = 'global_batch_size') as global_batch_size
    from measurement
    where run_id in (select run_id from member)
    group by run_id
),
span as (
    select
        run_id,
        epoch_ms(min(logged_at) filter (where label = 'run_start')) as start_ms,
        epoch_ms(max(logged_at) filter (where label = 'run_stop')) as stop_ms
    from run_record
    where run_id in (select run_id from member) and label in ('run_start', 'run_stop')
    group by run_id
)
select member.series_id, member.run_id, member.trial, run.run_key, coalesce(run_speed.is_trial, false) as converged,
    said.* exclude (run_id), reached.* exclude (run_id), span.start_ms, span.stop_ms, fact.value as score_factor
from member
join run using (run_id)
left join run_speed on run_speed.run_id = member.run_id and run_speed.rule = $rule and run_speed.phase = 'train'
left join said on said.run_id = member.run_id
left join reached on reached.run_id = member.run_id
left join span on span.run_id = member.run_id
left join fact on fact.run_id = member.run_id and fact.name = 'score_factor' and fact.used
order by member.series_id, member.trial, run.run_key
"""


def scored(con: duckdb.DuckDBPyConnection, scores: tuple[str, ...], filters: Filters) -> list[Row]:
    """The series whose default is one of these scores, by place and case."""
    found = con.sql(_SCORES, params={"scores": list(scores)})
    return rows_of(filters.apply(found).order("campaign nulls last, name, series_id"))


def runs_of(con: duckdb.DuckDBPyConnection, series: list[Row], apart: list[str]) -> dict[int, list[Row]]:
    """The runs of each of these series, with what their logs say; `apart` are keys of samples beside those."""
    found: dict[int, list[Row]] = {}
    for (rule,), rows in grouped(series, ("rule",)).items():
        asked = [row["series_id"] for row in rows]
        runs = rows_asked(con, _RUNS, series=asked, rule=rule, apart=apart)
        found |= {int(key[0]): members for key, members in grouped(runs, ("series_id",)).items()}
    return found
