-- The first log whose records break what a key would have kept; none is what is expected.
with per_log as (
    select log_id, count(*) as records, count(distinct byte_offset) as places
    from arriving_record
    group by log_id
)
select p.log_id, 'more than one record at one place' as why
from per_log as p
where p.places <> p.records
union all
select l.log_id, 'log.records is ' || l.records || ', its record rows are ' || coalesce(p.records, 0)
from log as l
join (select distinct log_id from arriving_segment) using (log_id)
left join per_log as p using (log_id)
where l.records <> coalesce(p.records, 0)
union all
select r.log_id, 'a record of an unknown shape'
from arriving_record as r
anti join shape as s using (shape_id)
limit 1;
