-- One row per piece of a log that looks like a record but is none, with one place of the log.
-- $path = '*', a glob of kept.file_place.place
-- $limit = 1000
-- Example: bench query rejects -p limit=10
select place.path, reject.line, reject.record, reject.reason, reject.text, reject.byte_offset, reject.log_id
from reject
join place_of_log($path) as place using (log_id)
where place.path is not null
order by place.path, reject.log_id, reject.byte_offset
limit $limit;
