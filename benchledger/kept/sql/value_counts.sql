-- The readings of a long run: of each rank the first and the last one by one, all between by how often each value occurs.
-- reads: reading_now, reading_of_rule
-- makes: bound, bound_reading, reading_end, value_count, reading

-- Between which steps rules count. Those that differ in it, or take the median of the ranks, look at each reading.
create or replace temp table bound as
select
    like_run as run_id, reading_key, any_value(after_step) as after_step, any_value(to_step) as to_step,
    bool_or(lanes = 'median') or count(distinct (after_step, to_step)) filter (coalesce(after_step, to_step) is not null) > 1 as is_whole
from reading_of_rule
group by like_run, reading_key;

-- The chunk is one run, so no join names it: that takes a tenth less.
create or replace temp view bound_reading as
select reading_now.*, is_within(since, step, after_step, to_step) as is_inside
from reading_now
join (select * exclude (run_id) from bound where not is_whole) using (reading_key)
where not is_again and is_usable(value, is_speed, step);

-- What lies between head_place and tail_place a rule takes as a whole or not at all.
create or replace temp table reading_end as
select *, (row_number() over ())::integer as end_id
from (
    select
        run_id, reading_key, is_speed, lane, is_inside,
        min(place, $head)[-1] as head_place, max(place, $tail)[-1] as tail_place
    from bound_reading
    group by run_id, reading_key, is_speed, lane, is_inside
);

create or replace temp table value_count as
select
    run_id, reading_key, is_speed, lane, null::bigint as epoch, since, step, coalesce(own_place, tail_place - 1) as place,
    value, steps, times, false as is_again
from (
    select end_id, own_place, value, steps, first(since) as since, first(step) as step, count(*) as times
    from (
        select *, if(place > head_place and place < tail_place, null, place) as own_place
        from bound_reading
        join (from reading_end select * exclude (run_id, is_speed)) using (reading_key, lane, is_inside)
    )
    group by end_id, own_place, value, steps
)
join reading_end using (end_id);

create or replace temp view reading as
from value_count
union all by name
from reading_now
semi join (from bound where is_whole) as whole using (run_id, reading_key);
