-- One row per run that trained: its case and machine, when it ran, and the logs that it is made of.
-- reads: run, bench_case, environment, kept.run_format, run_log
select
    run.run_id, run.run_key, run.status, run.started_at,
    bench_case.framework, bench_case.implementation, bench_case.model, bench_case.task, bench_case.precision,
    bench_case.batch_size_per_gpu, bench_case.global_batch_size, bench_case.nodes, bench_case.gpus, bench_case.seq_len,
    bench_case.gradient_accumulation,
    environment.system, environment.gpu_model, environment.gpu_family,
    run_format.format,
    list_sort(list(distinct run_log.log_id)) as logs
from run
join bench_case using (case_id)
join environment using (environment_id)
join run_log on run_log.run_id = run.run_id and run_log.role = 'train'
left join kept.run_format on run_format.run_id = run.run_id
group by all
order by run.run_key;
