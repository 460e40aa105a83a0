-- A run of NGC's BERT whose speed is not global batch times optimizer steps (with those that were skipped) over raw_train_time.
-- severity: warning
-- $tolerance = 0.005
with summary as (
    select
        run_id,
        max(line) as line,
        max(value) filter (where name = 'training_sequences_per_second') as speed,
        max(value) filter (where name = 'raw_train_time') as seconds
    from measurement
    where kind = 'summary' and phase = 'train'
    group by run_id, log_id, byte_offset
),
overflow as (
    -- The first loss scale that is printed is the setting; each further one follows an iteration that overflowed.
    select
        run_id,
        coalesce(
            max(value) filter (where quantity = 'skipped_steps'),
            greatest(count(*) filter (where quantity = 'loss_scale' and kind = 'parameter') - 1, 0)
        ) as skipped
    from measurement
    where quantity in ('skipped_steps', 'loss_scale')
    group by run_id
),
checked as (
    select
        summary.*,
        steps_done + coalesce(skipped, 0) as steps,
        global_batch_size,
        gradient_accumulation,
        speed * seconds / global_batch_size as implied
    from summary
    join run using (run_id)
    join bench_case using (case_id)
    left join overflow using (run_id)
    where speed > 0 and seconds > 0
)
select
    run_id,
    line,
    format(
        '{:.6g} samples/s for {:.6g} s are {:.6g} steps of {} samples; the log has {:.0f}',
        speed, seconds, implied, global_batch_size, steps
    ) as about,
    implied as value,
    steps as expected
from checked
where abs(implied / steps - 1) > $tolerance;
