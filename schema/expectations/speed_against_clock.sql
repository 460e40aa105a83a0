-- A run whose printed speed is not its batch size over the time from step to step by its log's clock, by more than 15 %.
-- severity: warning
-- $tolerance = 0.15
with dated as (
    select
        run_id,
        line,
        step - lag(step) over earlier as steps,
        coalesce(
            (epoch_us(logged_at) - epoch_us(lag(logged_at) over earlier)) / 1e6, clock_s - lag(clock_s) over earlier
        ) as seconds
    from kept.run_record as record
    join (select distinct shape_id from kept.shape where kind = 'step' and phase = 'train') as step using (shape_id)
    where part = 0 and step is not null
    window earlier as (partition by run_id, log_id, rank order by byte_offset)
),
clock as (
    select run_id, min(line) as line, median(seconds / steps) as step_s
    from dated
    where steps > 0 and seconds > 0
    group by run_id
    -- Fewer say little: evaluations and checkpoints lie between steps too. A clock of whole seconds needs ten to tell one.
    having count(*) >= 5 and (bool_or(seconds <> floor(seconds)) or median(seconds) >= 10)
),
printed as (
    select
        run_id,
        median(case scope when 'gpu' then value * gpus when 'node' then value * nodes when 'global' then value end) as speed
    from measurement
    join run using (run_id)
    join bench_case using (case_id)
    where quantity = 'throughput' and unit = 'samples/s' and phase = 'train' and value > 0
    group by run_id
),
checked as (
    select clock.*, speed, global_batch_size, speed * step_s as samples
    from clock
    join printed using (run_id)
    join run using (run_id)
    join bench_case using (case_id)
)
select
    run_id,
    line,
    format(
        '{:.6g} samples/s and {:.6g} s from step to step make {:.6g} samples; the global batch is {}',
        speed, step_s, samples, global_batch_size
    ) as about,
    samples as value,
    global_batch_size as expected
from checked
where abs(samples / global_batch_size - 1) > $tolerance;
