-- One row per run, campaign and rule with a speed: how many readings the rule looks at. A default rule that reads one
-- line, such as a summary, has no steps to show: is_read then marks the rule with most readings.
-- reads: bench_case, kept.series_run, run, run_speed, series
select
    speed.run_id::varchar as line, speed.run_id, speed.records_used + speed.records_skipped as points, speed.value as y,
    [speed.run_id] as runs, run_key, speed.rule, speed.is_default, row_number() over (
        partition by speed.run_id, series_id
        order by
            is_default and points > 1 desc, points desc, is_default desc, rule like 'steps.%' desc, rule
    ) = 1 as is_read,
    speed.unit, speed.phase, run.status, series.campaign, bench_case.*, series.system, series.gpu_model,
    series.framework_version, series.implementation_version, series.variant
from run_speed as speed
join run using (run_id)
join bench_case on bench_case.case_id = speed.case_id
join kept.series_run using (run_id)
join series using (series_id)
where speed.value is not null and speed.phase = 'train'
