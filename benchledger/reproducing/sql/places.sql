-- One row per place where a log was seen, empty and unrecognised files too.
-- reads: sighting
select sighting_id, log_id, coalesce(archive || '/' || member, member, path) as path, status
from sighting
order by path, sighting_id;
