-- One row per run of a series: its own speed by the default rule, beside that of the series.
-- $campaign = '*', a glob of run_campaign.campaign
-- $rule = '', one of rule.rule
-- Example: bench query trials -p campaign='made*'
select
    speed_table.campaign, speed_table.name, speed_table.gpu_model, series_run.trial, run.run_key,
    run_speed.value, run_speed.unit, run_speed.records_used, run_speed.records_skipped, run_speed.status,
    run_speed.reason, speed_table.value as series_value, run_speed.rule, speed_table.series_id
from speed_table
join series_run using (series_id)
join run_speed
    on run_speed.run_id = series_run.run_id and run_speed.rule = speed_table.rule and run_speed.phase = 'train'
join run on run.run_id = series_run.run_id
where coalesce(speed_table.campaign, '') glob $campaign
    and case when $rule = '' then speed_table.is_default else speed_table.rule = $rule end
    and (run_speed.unit is not distinct from speed_table.unit or run_speed.value is null)
order by all;
