-- The readings as they are added up: those at the ends of a lane one by one, all between by how often each speed occurs.
-- reads: stream_reading, lane
-- makes: middle_piece, piece

create or replace temp table middle_piece as
select
    stream_id, lane, min(tail_place) - 1 as place, any_value(since) as since, any_value(step) as step, steps, rate,
    sum(times)::bigint as times
from stream_reading
join (select stream_id, lane, head_place, tail_place from lane where is_long) as long using (stream_id, lane)
where place > head_place and place < tail_place
group by stream_id, lane, rate, steps
order by stream_id, lane, rate, steps;

create or replace temp view piece as
select stream_reading.*
from stream_reading
left join (select stream_id, lane, head_place, tail_place from lane where is_long) as long using (stream_id, lane)
where head_place is null or place <= head_place or place >= tail_place
union all by name
from middle_piece;
