-- A file that holds nothing: what anybody says of its run cannot be checked.
-- severity: warning
select place_of(path, archive, member) as place, 'nothing in it' as about
from sighting
where status = 'empty';
