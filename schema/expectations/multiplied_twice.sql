-- A run that prints two speeds of which one is the other times its GPUs, both as speeds of all: one was multiplied again.
-- severity: warning
-- $tolerance = 0.01
with printed as (
    select run_id, name, min(line) as line, median(value) as speed
    from measurement
    where quantity = 'throughput' and phase = 'train' and unit in ('samples/s', 'tokens/s') and scope = 'global' and value > 0
    group by run_id, name, unit
)
select
    run_id,
    high.line,
    format('{} {:.6g} is {} times {} {:.6g}', high.name, high.speed, gpus, low.name, low.speed) as about,
    high.speed as value,
    low.speed as expected
from printed as high
join printed as low using (run_id)
join run using (run_id)
join bench_case using (case_id)
where gpus > 1 and abs(high.speed / (low.speed * gpus) - 1) < $tolerance;
