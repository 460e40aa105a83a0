-- What the readings in each window come to.
-- reads: piece, lane_window, question
-- makes: in_lane, bounded_end, middle, answer

create or replace temp table in_lane as
select
    stream_id, question, lane,
    sum(times) as used, sum(rates) as rates, sum(steps) as steps, sum(seconds) as seconds
from (
    select
        stream_id, lane, place, rate, times, times * rate as rates, times * steps as steps, times * steps / rate as seconds
    from piece
)
join lane_window using (stream_id, lane)
where place between used_from and to_place and (rate > 0 or not positive_only)
group by stream_id, question, lane
order by stream_id, question, lane;

-- The first and the last step that a window found, where the rule says between which steps it counts.
create or replace temp table bounded_end as
select
    stream_id, question,
    arg_min(since, (lane, place)) as first_since,
    arg_max(step, (lane, place)) as last_step
from (from piece where step is not null)
join lane_window using (stream_id, lane)
where place between from_place and to_place
group by stream_id, question;

-- What needs the readings in the order of their size: a median, a mean without the lowest and the highest.
create or replace temp table middle as
with number as (
    select stream_id, question, is_counted, times, if(average_of = 'times', 1 / rate, rate) as number
    from piece
    join (from lane_window where statistic in ('median', 'trimmed')) using (stream_id, lane)
    where place between from_place and to_place and (not positive_only or rate > 0)
),
listed as (
    select stream_id, question, list_sort(list(number)) as numbers, len(numbers) as total
    from number
    where not is_counted
    group by stream_id, question
)
select
    stream_id, question,
    if(
        statistic = 'trimmed',
        list_sum(numbers[trim + 1:total - trim]) / (total - 2 * trim),
        numbers[(total + 1) // 2] * 0.5 + numbers[total // 2 + 1] * 0.5
    ) as number
from listed
join question using (question)
where statistic = 'median' or total >= trim_from;

insert into middle
with number as (
    select stream_id, question, statistic, trim, trim_from, times, if(average_of = 'times', 1 / rate, rate) as number
    from piece
    join (from lane_window where statistic in ('median', 'trimmed') and is_counted) using (stream_id, lane)
    where place between from_place and to_place and (not positive_only or rate > 0)
),
counted as (
    select *, sum(times) over up as upto, sum(times) over (partition by stream_id, question) as total
    from (
        select stream_id, question, statistic, trim, trim_from, number, sum(times) as times
        from number
        group by all
    )
    window up as (partition by stream_id, question order by number rows unbounded preceding)
)
select
    stream_id, question,
    if(
        statistic = 'trimmed',
        sum(number * greatest(least(upto, total - trim) - greatest(upto - times, trim), 0)) / (total - 2 * trim),
        arg_min(number, upto) filter (upto > (total - 1) // 2) * 0.5 + arg_min(number, upto) filter (upto > total // 2) * 0.5
    )
from counted
where statistic = 'median' or total >= trim_from
group by stream_id, question, statistic, trim, total;

create or replace temp table answer as
with together as (
    select
        stream_id, question, sum(used)::bigint as used,
        sum(rates) / sum(used) as mean, sum(steps) / sum(seconds) as mean_of_times,
        avg(rates / used) as mean_of_lanes, avg(steps / seconds) as mean_of_lanes_of_times
    from in_lane
    group by stream_id, question
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
from (select stream_id, question, sum(in_window)::bigint as in_window from lane_window group by stream_id, question)
join question using (question)
left join together using (stream_id, question)
left join bounded_end using (stream_id, question)
left join middle using (stream_id, question);
