-- The copies of a run's logs, whose records are those of the whole log, and the logs of its other ranks.
-- reads: copy_of, run_log, new_run, first_sighting
-- makes: run_log

insert into run_log by name
select distinct on (r.run_id, c.log_id, c.segment)
    r.run_id, c.log_id, f.sighting_id, c.role, c.segment, c.first_line, c.last_line, null::varchar[] as devices,
    c.paired_by
from copy_of as c
join run_log as r on r.log_id = c.whole_id and r.segment = c.whole_segment
semi join new_run as n on n.run_id = r.run_id
join first_sighting as f on f.log_id = c.log_id
order by all;
