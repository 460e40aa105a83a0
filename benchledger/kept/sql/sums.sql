-- Sum and median of the readings of each window.
-- reads: piece, lane, lane_window, rule_question, question
-- makes: in_lane, middle_window, middle, bounded_end

create or replace temp table in_lane as
select
    stream_id, slice, lane,
    sum(times) as used, sum(rates) as rates, sum(steps) as steps, sum(seconds) as seconds
from (
    select
        stream_id, lane, place, rate, times, times * rate as rates, times * steps as steps, times * steps / rate as seconds
    from piece
)
join lane_window using (stream_id, lane)
where place between used_from and to_place and (rate > 0 or not positive_only)
group by stream_id, slice, lane
order by stream_id, slice, lane;

-- What needs the readings in the order of their size: a median, a mean without the lowest and the highest. Where one lane of
-- a stream is long, it is weighed how often each speed occurs.
create or replace temp table middle_window as
select
    stream_id, lane, slice, from_place, to_place, positive_only, average_of,
    stream_id in (select stream_id from lane where is_long) as is_counted
from lane_window
join (
    select distinct like_stream, slice, average_of
    from rule_question
    join question using (question)
    where statistic in ('median', 'trimmed')
) using (like_stream, slice);

create or replace temp table middle as
with number as (
    select stream_id, slice, average_of, if(average_of = 'times', 1 / rate, rate) as number
    from piece
    join (from middle_window where not is_counted) using (stream_id, lane)
    where place between from_place and to_place and (not positive_only or rate > 0)
),
listed as (
    select stream_id, slice, average_of, list_sort(list(number)) as numbers, len(numbers) as total
    from number
    group by stream_id, slice, average_of
)
select
    stream_id, question,
    if(
        statistic = 'trimmed',
        list_sum(numbers[trim + 1:total - trim]) / (total - 2 * trim),
        numbers[(total + 1) // 2] * 0.5 + numbers[total // 2 + 1] * 0.5
    ) as number
from listed
join question using (slice, average_of)
where statistic = 'median' or (statistic = 'trimmed' and total >= trim_from);

-- Most rules do not say between which steps they count.
create or replace temp table bounded_end (stream_id integer, slice bigint, first_since bigint, last_step bigint);
