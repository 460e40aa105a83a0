-- One row per piece of a log that should have been a record and is not, with one place where the log was seen.
-- $path = '*', a glob of file_place.place
-- $limit = 1000
-- Example: bench query rejects -p limit=10
select place.path, reject.line, reject.record, reject.reason, reject.text, reject.byte_offset, reject.log_id
from reject
join place_of_log($path) as place using (log_id)
where place.path is not null
order by place.path, reject.log_id, reject.byte_offset
limit $limit;
