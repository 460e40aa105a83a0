-- One row per run and campaign with a telemetry log: how many records this has.
-- reads: bench_case, kept.series_run, log, run, run_log, series
select
    run_key as line, run.run_id, sum(log.records)::bigint as points, null::double as y, [run.run_id] as runs,
    any_value(run_key) as run_key, any_value(run.status) as status, series.campaign, bench_case.*, series.system,
    series.gpu_model
from run
join run_log on run_log.run_id = run.run_id and role = 'telemetry'
join log using (log_id)
join bench_case using (case_id)
join kept.series_run on series_run.run_id = run.run_id
join series using (series_id)
group by all
