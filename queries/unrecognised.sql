-- One row per file that was not recognised or could not be read: its place, and the nearest format.
-- $path = '*', a glob of kept.file_place.place
-- Example: bench query unrecognised
select place_of(path, archive, member) as path, status, reason, modified_at, log_id
from sighting
where status in ('unrecognised', 'unreadable')
    and (path glob $path or place_of(path, archive, member) glob $path)
order by all;
