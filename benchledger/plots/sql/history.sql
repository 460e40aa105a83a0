-- One row per series, by the time of its first run: its speed and the range over its trials.
-- reads: kept.rule, kept.series_environment, kept.series_run, run, speed_table
with began as (
    select series_id, min(started_at) as started_at
    from kept.series_run
    join run using (run_id)
    group by series_id
)
select
    -- The lines of bench query history.
    hash(case_id, system, coalesce(gpu_model, gpu_family), gpu_memory_mib, rule, unit)::varchar as line, started_at as x, value as y, lowest,
    highest, speed_table.* exclude (lowest, highest, unit, trial_runs),
    if(rules.per is null, unit, unit || ' per ' || rules.per) as unit, trial_runs as runs
from speed_table
join began using (series_id)
join (select series_id, gpu_family from kept.series_environment) as machine using (series_id)
join (select rule, per from kept.rule) as rules using (rule)
where value is not null and started_at is not null
