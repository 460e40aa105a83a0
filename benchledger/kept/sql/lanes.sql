-- Where each lane of a stream begins and ends, and from which to which place of it a question looks.
-- reads: stream_reading, stream, asked, question
-- makes: lane, lane_window

-- Windows take what lies between head_place and tail_place as a whole or not at all.
create or replace temp table lane as
select
    *, firsts[head] as head_place, lasts[tail] as tail_place, readings > head + tail as is_long,
    -- One lane that is counted, and the numbers of all of the stream are.
    bool_or(is_long) over (partition by stream_id) as is_counted
from (
    select
        stream_id, lane, sum(times)::bigint as readings,
        min(place, (select max(head) from stream)) as firsts, max(place, (select max(tail) from stream)) as lasts
    from stream_reading
    group by stream_id, lane
)
join (select stream_id, like_stream, head, tail from stream) using (stream_id);

create or replace temp table lane_window as
select
    stream_id, lane, question, statistic, positive_only, average_of, trim, trim_from,
    is_counted,
    firsts[skip + 1] as from_place,
    if(skip + take < readings - skip_last, firsts[skip + take], lasts[skip_last + 1]) as to_place
from lane
join (select distinct like_stream, question from asked) using (like_stream)
join question using (question);
