-- One row per page or script that quotes log lines and is no run: its place, the format of the lines, and their number.
-- $path = '*', a glob of kept.file_place.place
-- Example: bench query documents
select place_of(path, archive, member) as path, log.format, log.records, log.rejects, reason, modified_at, log_id
from sighting
join log using (log_id)
where status = 'document' and (path glob $path or place_of(path, archive, member) glob $path)
order by all;
