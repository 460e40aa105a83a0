-- The time from step to step.

insert into made_reading by name
select
    run_id,
    -1 as reading_key,
    place,
    rank,
    lag(step) over earlier as since,
    step,
    coalesce(
        (epoch_us(logged_at) - epoch_us(lag(logged_at) over earlier)) / 1e6, clock_s - lag(clock_s) over earlier
    ) as value,
    value > 0 as is_usable
from chunk_record
where part is not null
    and shape_id in (select shape_id from shape where kind = 'step' and phase = 'train')
    and run_id in (select run_id from timed_run where quantity = 'interval')
window earlier as (partition by run_id, coalesce(rank, -1) order by place)
qualify step >= since and value is not null;
