-- The readings that are kept one by one, in their order: all of a short stream, the ends of a long one.

create or replace temp table lane as
select
    streamed.stream_id,
    streamed.lane,
    list(rate order by place, ordinal) as rates,
    list(steps order by place, ordinal) filter (is_timed) as steps,
    list(steps / rate order by place, ordinal) filter (is_timed) as seconds,
    list(since order by place, ordinal) filter (is_bounded) as since,
    list(step order by place, ordinal) filter (is_bounded) as reached
from streamed
left join body using (stream_id, lane)
where body.stream_id is null or place <= body.head_end or place >= body.tail_start
group by streamed.stream_id, streamed.lane;
