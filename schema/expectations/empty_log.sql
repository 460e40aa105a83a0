-- An empty file: nothing in it confirms what other sources state about its run.
-- severity: warning
select place_of(path, archive, member) as place, 'nothing in it' as about
from sighting
where status = 'empty';
