-- The readings as they are added up: those at the ends of a lane one by one, all between by how often each speed occurs.
-- reads: stream_reading, lane
-- makes: piece

create or replace temp table piece as
select
    stream_id, lane, coalesce(own_place, min(tail_place) - 1) as place, rate, steps, sum(times)::bigint as times,
    any_value(since) as since, any_value(step) as step
from (
    select *, if(is_long and place > head_place and place < tail_place, null, place) as own_place
    from stream_reading
    join (select stream_id, lane, head_place, tail_place, is_long from lane) using (stream_id, lane)
)
group by stream_id, lane, own_place, rate, steps
order by stream_id, lane, own_place nulls last, rate, steps;
