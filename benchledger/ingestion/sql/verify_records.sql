-- The first log whose records break what a key would have kept; none is what is expected.
with follower as (
    select log_id, first_offset <= lag(last_offset) over (partition by log_id order by first_offset) as is_within
    from log_part
),
per_log as (
    select log_id, sum(records) as records, sum(places) as places, sum(unknown) as unknown
    from log_part
    group by log_id
)
select log_id, 'more than one record at one place' as why
from per_log
where places <> records
union all
select log_id, 'records of one part stand among those of another'
from follower
where is_within
union all
select l.log_id, 'log.records is ' || l.records || ', its record rows are ' || coalesce(p.records, 0)
from log as l
join (select distinct log_id from arriving_segment) using (log_id)
left join per_log as p using (log_id)
where l.records <> coalesce(p.records, 0)
union all
select log_id, 'a record of an unknown shape'
from per_log
where unknown > 0
limit 1;
