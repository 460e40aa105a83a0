-- One row per folder and reason why files are in no table: their number, and one of them. Line numbers are ignored.
-- $path = '*', a glob of kept.file_place.place
-- $depth = 2
-- Example: bench query unrecognised-reasons -p depth=1
with missed as (
    select
        place_of(path, archive, member) as place,
        status,
        regexp_replace(reason, ': line [0-9]+ holds', ': a line holds') as reason
    from sighting
    where status in ('unrecognised', 'unreadable', 'empty')
        and (path glob $path or place_of(path, archive, member) glob $path)
)
select
    array_to_string(string_split(place, '/')[:least($depth, len(string_split(place, '/')) - 1)], '/') as folder,
    status,
    count(*) as files,
    reason,
    min(place) as one_of_them
from missed
group by all
order by files desc, folder, status, reason;
