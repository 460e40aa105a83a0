-- The times from step to step of a rank, which no log prints.
-- reads: moment
-- makes: timed

create or replace temp table timed as
with step_of_rank as (
    select
        run_id, -1::integer as reading_key, lane,
        lag(run_id) over w = run_id as follows,
        if(follows, in_order(place, lag(place) over w, lag(step) over w), null) as since, step, place,
        if(follows, seconds_between(lag(logged_at) over w, logged_at, lag(clock_s) over w, clock_s), null) as value
    from moment
    where is_step and makes_intervals
    window w as (partition by run_id, lane order by place)
)
select run_id, reading_key, lane, since, step, place, value
from step_of_rank
where step >= since and value is not null;
