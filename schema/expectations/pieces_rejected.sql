-- A log with lines that should have been records and are not.
-- severity: note
select log_id, min(line) as line, format('{} of {} pieces: {}', count(*), any_value(pieces), min(reason)) as about,
    count(*) as value, 0 as expected
from reject
join log using (log_id)
group by log_id;
