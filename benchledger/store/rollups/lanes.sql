-- The readings that are kept one by one, in their order: all of a short stream, the ends of a long one.

create or replace temp table lane as
with kept as (
    select
        streamed.stream_id,
        streamed.lane,
        any_value(is_timed) as is_timed,
        any_value(is_bounded) as is_bounded,
        -- Sorted as one list: each list that is ordered by itself costs as much.
        list_sort(list({
            'place': place, 'ordinal': ordinal, 'rate': rate, 'steps': steps, 'since': since, 'step': step
        })) as readings
    from streamed
    left join body using (stream_id, lane)
    where body.stream_id is null or place <= body.head_end or place >= body.tail_start
    group by streamed.stream_id, streamed.lane
)
select
    stream_id,
    lane,
    list_transform(readings, lambda x: x.rate) as rates,
    if(is_timed, list_transform(readings, lambda x: x.steps), null) as steps,
    if(is_timed, list_transform(readings, lambda x: x.steps / x.rate), null) as seconds,
    if(is_bounded, list_transform(readings, lambda x: x.since), null) as since,
    if(is_bounded, list_transform(readings, lambda x: x.step), null) as reached
from kept;
