-- Which runs a manifest covers; one that covers none is a run itself, whose end it alone states.
-- reads: new_run, twin, fellow, listed_log, log, live_segment
-- makes: covering, new_run

create or replace temp table covering as
with claim as (
    select run_id, log_id from new_run
    union
    select r.run_id, t.twin_id from twin as t join new_run as r on r.log_id = t.log_id and r.segment = t.segment
    union
    select r.run_id, f.log_id from fellow as f join new_run as r on r.log_id = f.main
)
select distinct l.listing, l.manifest_id, c.run_id
from listed_log as l
join claim as c using (log_id);

insert into new_run by name
select md5_number_lower(run_key) // 2 as run_id, *
from (
    select left(log.content_hash, 12) || '-' || s.first_record_line as run_key, s.* exclude (
        first_record_line, records, step_records, stream, losses, beginning, devices
    )
    from live_segment as s
    join log using (log_id)
    where s.role = 'manifest' and s.log_id not in (select manifest_id from covering)
);
