-- Other times that no log prints: from round to round of all ranks, between two labelled records.
-- reads: moment, needed_timing
-- makes: timed

insert into timed
with numbered as (
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
        run_id, -2::integer as reading_key, -1 as lane,
        in_order(place, lag(place) over w, lag(step) over w) as since, step, place,
        seconds_between(lag(logged_at) over w, logged_at, lag(clock_s) over w, clock_s) as value
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
    join needed_timing using (run_id)
    where quantity = 'span' and label is not null
    group by run_id, reading_key
)
select run_id, reading_key, lane, since, step, place, value
from round_of_ranks
where since is not null and step is not null and value is not null
union all
select
    run_id, reading_key, -1, null, null, stop.place,
    seconds_between(start.logged_at, stop.logged_at, start.clock_s, stop.clock_s) as value
from span
where value is not null;
