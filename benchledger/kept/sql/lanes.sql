-- Where each lane of a stream begins and ends, and from which to which place of it a question looks.
-- reads: stream_reading, stream, rule_question, question
-- makes: lane, lane_window

-- Windows take what lies between head_place and tail_place as a whole or not at all.
create or replace temp table lane as
select *, places[$head] as head_place, places[-$tail] as tail_place, readings > $head + $tail as is_long
from (
    select stream_id, lane, sum(times)::bigint as readings, list(place) as places
    from stream_reading
    group by stream_id, lane
)
join (select stream_id, like_stream from stream) using (stream_id);

create or replace temp table lane_window as
select
    *, max(lane) filter (in_window > 0) over (partition by stream_id, slice) as last_lane,
    -- The last reading is that of the last rank.
    case when not is_last then from_place when lane = last_lane then to_place end as used_from
from (
    select
        stream_id, like_stream, lane, slice, is_last, positive_only,
        places[skip + 1] as from_place,
        coalesce(skip + take < readings - skip_last, false) as is_cut,
        if(is_cut, places[skip + take], places[-skip_last - 1]) as to_place,
        if(is_cut, take, greatest(readings - skip_last - skip, 0)) as in_window
    from lane
    join (
        select distinct like_stream, slice, skip, take, skip_last, positive_only, is_last
        from rule_question
        join question using (question)
    ) using (like_stream)
);
