-- What lies between the ends of long streams, as how often each speed occurs. Memory does not grow with their length
-- beyond the number of different speeds.

create or replace temp table bound as
select
    stream_id,
    lane,
    list_max(min(place, head)) as head_end,
    list_min(max(place, tail)) as tail_start
from streamed
where is_long
group by stream_id, lane;

create or replace temp table spread as
select streamed.stream_id, streamed.lane, streamed.rate, streamed.steps, count(*) as times
from streamed
join bound using (stream_id, lane)
where streamed.place > bound.head_end and streamed.place < bound.tail_start
group by all;

-- Summed in one order, so that the last digit is the same in every ledger.
insert into body
select
    bound.stream_id,
    bound.lane,
    bound.head_end,
    bound.tail_start,
    {
        'records': sum(times),
        'rates': sum(times * rate order by rate, steps),
        'steps': sum(times * steps order by rate, steps),
        'seconds': sum(times * steps / rate order by rate, steps)
    },
    {
        'records': coalesce(sum(times) filter (rate > 0), 0),
        'rates': coalesce(sum(times * rate order by rate, steps) filter (rate > 0), 0),
        'steps': coalesce(sum(times * steps order by rate, steps) filter (rate > 0), 0),
        'seconds': coalesce(sum(times * steps / rate order by rate, steps) filter (rate > 0), 0)
    }
from bound
join spread using (stream_id, lane)
group by all;
