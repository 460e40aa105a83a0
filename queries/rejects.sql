-- One row per piece of a log that should have been a record and is not, with one place where the log was seen.
-- $path = '*'
-- $limit = 1000
with place as (
    select
        log_id,
        min(place_of(path, archive, member))
            filter (path glob $path or place_of(path, archive, member) glob $path) as path
    from sighting
    where status in ('loaded', 'duplicate')
    group by log_id
)
select place.path, reject.line, reject.record, reject.reason, reject.text, reject.byte_offset, reject.log_id
from reject
join place using (log_id)
where place.path is not null
order by place.path, reject.log_id, reject.byte_offset
limit $limit;
