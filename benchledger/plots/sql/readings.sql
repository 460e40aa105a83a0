-- One row per run, campaign and rule with a speed: how many readings the rule looks at. A default rule that reads one
-- line, such as a summary, has no steps to show: is_read then marks the rule with most readings.
-- reads: bench_case, kept.series_run, run, run_speed, series
select
    told.run_id::varchar as line, told.run_id, told.records_used + told.records_skipped as points, told.value as y,
    [told.run_id] as runs, run_key, told.rule, told.is_default, row_number() over (
        partition by told.run_id, series_id
        order by
            is_default and points > 1 desc, points desc, is_default desc, rule like 'steps.%' desc, rule
    ) = 1 as is_read,
    told.unit, told.phase, run.status, series.campaign, bench_case.*, series.system, series.gpu_model,
    series.framework_version, series.implementation_version, series.variant
from run_speed as told
join run using (run_id)
join bench_case on bench_case.case_id = told.case_id
join kept.series_run using (run_id)
join series using (series_id)
where told.value is not null and told.phase = 'train'
