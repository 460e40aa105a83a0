-- The readings as they are added up: those at the ends of a lane one by one, all between by how often each speed occurs.
-- reads: stream_reading, lane
-- makes: piece

-- In this order, by one thread: of another order a sum differs in its last digit, and a rounded mean in its last decimal.
create or replace temp table piece as
from (
    select stream_id, lane, place, rate, steps, 1 as times, since, step
    from stream_reading
    semi join (select stream_id, lane from lane where not is_long) as short using (stream_id, lane)
    order by stream_id, lane, place
)
union all
from (
    select
        stream_id, lane, coalesce(own_place, min(tail_place) - 1) as place, rate, steps, count(*) as times,
        any_value(since) as since, any_value(step) as step
    from (
        select *, if(place > head_place and place < tail_place, null, place) as own_place
        from stream_reading
        join (select stream_id, lane, head_place, tail_place from lane where is_long) using (stream_id, lane)
    )
    group by stream_id, lane, own_place, rate, steps
    order by stream_id, lane, own_place nulls last, rate, steps
);
