-- A log with lines that should have been records and are not.
-- severity: note
select log_id, min(line) as line, format('{} of {} pieces: {}', count(*), any_value(pieces), min(reason)) as about,
    count(*) as value, 0 as expected
from reject
join log using (log_id)
where log_id not in (
    select log_id from sighting where log_id is not null group by log_id having bool_and(status = 'document')
)
group by log_id;
