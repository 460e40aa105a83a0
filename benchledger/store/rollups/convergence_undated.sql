-- How long runs took that print the time of a step and date nothing: the sum of these times so far.

insert into summed_step
with time_of_step as (
    select shape_id, min(ordinal) as ordinal
    from shape
    where quantity = 'step_time' and unit = 's' and kind = 'step'
    group by shape_id
),
timed as (
    select
        record.run_id,
        record.part,
        record.log_id,
        record.byte_offset,
        record.ordinal,
        record."values"[time_of_step.ordinal] as step_s,
        row_number() over curve as nth,
        step - lag(step) over curve as steps_since
    from main_record as record
    left join time_of_step using (shape_id)
    where run_id not in (select run_id from log_clock)
    window curve as (partition by run_id order by part, log_id, byte_offset, record.ordinal)
)
select
    run_id,
    nth,
    sum(step_seconds(step_s, steps_since)) filter (where nth > 1) over (
        partition by run_id order by nth rows between unbounded preceding and current row
    )::double as seconds
from timed;
