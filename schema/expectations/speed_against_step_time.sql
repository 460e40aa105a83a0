-- A run whose printed speed times its printed step time is not its batch size, by more than 5 %.
-- severity: warning
-- $tolerance = 0.05
with printed as (
    select
        run_id,
        min(line) as line,
        median(value) filter (where quantity = 'throughput' and unit = 'samples/s') as speed,
        min(scope) filter (where quantity = 'throughput' and unit = 'samples/s') as scope,
        median(case when quantity = 'step_time' then value else 1 / value end)
            filter (where quantity = 'step_time' or unit = 'steps/s') as step_s
    from measurement
    where kind = 'step' and phase = 'train' and quantity in ('throughput', 'step_time') and value > 0
    group by run_id
),
checked as (
    select
        printed.*,
        speed * step_s as samples,
        if(scope = 'gpu', batch_size_per_gpu, global_batch_size) as batch
    from printed
    join run using (run_id)
    join bench_case using (case_id)
)
select
    run_id,
    line,
    format('{:.6g} samples/s and {:.6g} s a step make {:.6g} samples; the batch is {}', speed, step_s, samples, batch)
        as about,
    samples as value,
    batch as expected
from checked
where abs(samples / batch - 1) > $tolerance;
