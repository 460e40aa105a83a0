-- The log that each run is itself, at the place with the least id: which place came first says nothing.
-- reads: active_sighting, new_run
-- makes: first_sighting, run_log

create or replace temp table first_sighting as
select log_id, min(sighting_id) as sighting_id from active_sighting where not of_copy group by log_id;

insert into run_log by name
select
    run_id, log_id, sighting_id, if(role = 'manifest', role, 'train') as role, segment, first_line, last_line,
    null::varchar[] as devices, if(role = 'manifest', 'none of its logs is known', 'its own log') as paired_by
from new_run
join first_sighting using (log_id);
