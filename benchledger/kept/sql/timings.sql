-- The times that no log prints: from step to step of a rank, from round to round of all ranks, between two records.
-- reads: moment, asked_timing
-- makes: timed

create or replace temp table timed as
with step_of_rank as (
    select
        run_id, -1::integer as reading_key, place, lane,
        lag(run_id) over w = run_id as follows,
        if(follows, in_order(place, lag(place) over w, lag(step) over w), null) as since, step,
        if(follows, lag(logged_at) over w, null) as logged_before, logged_at,
        if(follows, lag(clock_s) over w, null) as clock_before, clock_s
    from moment
    where is_step and makes_intervals
    window w as (partition by run_id, lane order by place)
),
numbered as (
    select moment.*, ranks, row_number() over (partition by run_id order by place) as nth
    from moment
    join (
        select run_id, count(distinct lane) as ranks
        from moment
        where is_step and makes_rounds
        group by run_id
    ) using (run_id)
    where is_step
),
-- Where each rank prints a line a step, a round ends with every so many lines as there are ranks. Some scripts count these.
round_of_ranks as (
    select
        run_id, -2::integer as reading_key, place, -1 as lane,
        in_order(place, lag(place) over w, lag(step) over w) as since, step,
        lag(logged_at) over w as logged_before, logged_at,
        lag(clock_s) over w as clock_before, clock_s
    from numbered
    where nth % ranks = 0
    window w as (partition by run_id order by place)
),
-- From the first record of the one label to the last of the other.
span as (
    select
        run_id, reading_key,
        min_by({'logged_at': logged_at, 'clock_s': clock_s}, place)
            filter (label = split_part(name, ' to ', 1)) as start,
        max_by({'place': place, 'logged_at': logged_at, 'clock_s': clock_s}, place)
            filter (label = split_part(name, ' to ', 2)) as stop
    from moment
    join asked_timing using (run_id)
    where quantity = 'span' and label is not null
    group by run_id, reading_key
),
pair as (
    select * exclude (follows)
    from step_of_rank
    where step >= since
    union all by name
    from round_of_ranks
    where since is not null and step is not null
    union all by name
    select
        run_id, reading_key, stop.place as place, -1 as lane,
        start.logged_at as logged_before, stop.logged_at as logged_at,
        start.clock_s as clock_before, stop.clock_s as clock_s
    from span
)
select
    run_id, reading_key, lane, since, step, place,
    -- An iteration that overflowed repeats its step number; it was computed all the same.
    greatest(coalesce(step - since, 1), 1)::double as steps,
    coalesce((epoch_us(logged_at) - epoch_us(logged_before)) / 1e6, clock_s - clock_before) as value
from pair
where value is not null;
