-- Medians and trimmed means of windows that such a body is in.
insert into middle
with question as (
    select distinct stream_id, skip, skip_last, positive_only, statistic, average_of, trim, trim_from
    from asked
    join rule using (rule)
    where stream_id in (select stream_id from body) and take is null and statistic in ('median', 'trimmed')
),
named as (
    select *, row_number() over () as question
    from question
),
one_by_one as (
    select question, unnest(list_slice(rates, skip + 1, len(rates) - skip_last)) as rate, 1 as times
    from named
    join lane using (stream_id)
),
occurring as (
    select * from one_by_one
    union all
    select question, rate, times
    from named
    join spread using (stream_id)
),
counted as (
    select question, if(average_of = 'times', 1 / rate, rate) as number, sum(times)::bigint as times
    from occurring
    join named using (question)
    where rate > 0 or not positive_only
    group by all
),
ordered as (
    select
        *,
        (sum(times) over (partition by question order by number rows unbounded preceding))::bigint as upto,
        (sum(times) over (partition by question))::bigint as total
    from counted
),
found as (
    select
        question,
        min(number) filter (upto > (total - 1) // 2) as lower,
        lower + (min(number) filter (upto > total // 2) - lower) * 0.5 as median,
        sum(number * if(total < trim_from, times, greatest(least(upto, total - trim) - greatest(upto - times, trim), 0))
            order by number) as kept_sum,
        any_value(if(total < trim_from, total, total - 2 * trim)) as kept
    from ordered
    join named using (question)
    group by question
)
select
    stream_id, skip, skip_last, positive_only, statistic, average_of,
    case
        when statistic = 'trimmed' then kept_sum / kept
        when average_of = 'times' then 1 / median
        else median
    end
from found
join named using (question);
