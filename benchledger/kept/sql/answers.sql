-- The statistic over the readings of each window.
-- reads: in_lane, lane_window, bounded_end, middle, rule_question, question
-- makes: answer

create or replace temp table answer as
with together as (
    select
        stream_id, slice, sum(used)::bigint as used,
        sum(rates) / sum(used) as mean, sum(steps) / sum(seconds) as mean_of_times,
        avg(rates / used) as mean_of_lanes, avg(steps / seconds) as mean_of_lanes_of_times
    from in_lane
    group by stream_id, slice
)
select
    stream_id, question, in_window, first_since, last_step,
    statistic = 'trimmed' and in_window >= trim_from as is_trimmed,
    coalesce(if(is_trimmed, greatest(used - 2 * trim, 0), used), 0) as records_used,
    case
        when records_used = 0 then null
        when is_mean_of_lanes then if(average_of = 'times', mean_of_lanes_of_times, mean_of_lanes)
        when statistic = 'median' or is_trimmed then if(average_of = 'times', 1 / middle.number, middle.number)
        when average_of = 'times' then mean_of_times
        else mean
    end as rate
from (
    select stream_id, like_stream, slice, sum(in_window)::bigint as in_window
    from lane_window
    group by stream_id, like_stream, slice
)
left join together using (stream_id, slice)
left join bounded_end using (stream_id, slice)
join (select distinct like_stream, question from rule_question) using (like_stream)
join question using (question, slice)
left join middle using (stream_id, question);
