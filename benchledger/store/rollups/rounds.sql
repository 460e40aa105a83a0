-- The time from round to round: where each rank prints a line, a round is one of each, of so many records as there are ranks
-- the last, in the order of the lines. Some scripts count these.

insert into made_reading by name
with line as (
    select
        run_id,
        place,
        step,
        logged_at,
        clock_s,
        row_number() over (partition by run_id order by place) as nth,
        count(distinct coalesce(rank, -1)) over (partition by run_id) as ranks
    from chunk_record
    where part is not null
        and shape_id in (select shape_id from shape where kind = 'step' and phase = 'train')
        and run_id in (select run_id from timed_run where quantity = 'round')
)
select
    run_id,
    -2 as reading_key,
    place,
    lag(step) over earlier as since,
    step,
    coalesce(
        (epoch_us(logged_at) - epoch_us(lag(logged_at) over earlier)) / 1e6, clock_s - lag(clock_s) over earlier
    ) as value,
    value > 0 as is_usable
from line
where nth % ranks = 0
window earlier as (partition by run_id order by nth)
qualify since is not null and step is not null and value is not null;
