-- One row per run and campaign: how many losses it prints.
-- reads: bench_case, kept.series_run, run_convergence, series
select
    run_key as line, run_id, losses::bigint as points, null::double as y, [run_id] as runs, loss.run_key, loss.status,
    loss.loss_name, series.campaign, bench_case.*, series.system, series.gpu_model, series.framework_version,
    series.implementation_version, series.variant
from (from run_convergence qualify row_number() over (partition by run_id order by metric) = 1) as loss
join bench_case using (case_id)
join kept.series_run using (run_id)
join series using (series_id)
where losses > 0
