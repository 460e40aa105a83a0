-- What needs the readings in the order of their size, where one lane of a stream is long.
-- reads: piece, middle_window, question
-- makes: middle

insert into middle
with number as (
    select stream_id, slice, average_of, if(average_of = 'times', 1 / rate, rate) as number, sum(times) as times
    from piece
    join (from middle_window where is_counted) using (stream_id, lane)
    where place between from_place and to_place and (not positive_only or rate > 0)
    group by all
),
counted as (
    select
        stream_id, question, statistic, trim, number, times,
        sum(times) over up as upto, sum(times) over (partition by stream_id, question) as total
    from number
    join question using (slice, average_of)
    where statistic in ('median', 'trimmed')
    window up as (partition by stream_id, question order by number rows unbounded preceding)
    qualify statistic = 'median' or total >= trim_from
)
select
    stream_id, question,
    if(
        statistic = 'trimmed',
        sum(number * greatest(least(upto, total - trim) - greatest(upto - times, trim), 0)) / (total - 2 * trim),
        arg_min(number, upto) filter (upto > (total - 1) // 2) * 0.5 + arg_min(number, upto) filter (upto > total // 2) * 0.5
    )
from counted
group by stream_id, question, statistic, trim, total;
