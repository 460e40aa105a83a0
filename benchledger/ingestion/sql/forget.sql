-- Before the logs in temp table forgotten(id) are removed: finds the logs to derive again, and removes the sightings of
-- the forgotten logs, and the layouts of lines that no other log has.
-- reads: forgotten, sighting, kept.sighting_file, kept.record, log
-- makes: near_forgotten, layout_forgotten, kept.shape, kept.sighting_fact, kept.sighting_file, sighting

create or replace temp table near_forgotten as
with here as (
    select * from sighting where log_id in (select id from forgotten)
)
select id as log_id from forgotten
union
-- Without it a monitor's run may be alone, and a sidecar too.
select a.log_id
from sighting as a
where a.status in ('loaded', 'duplicate') and a.log_id is not null
    and (
        -- A stream may have been that of a train log above it.
        a.folder in (select unnest(folders[1:4]) from here)
        or a.campaign in (select campaign from here)
        or a.place in (select place from kept.sighting_file where sighting_id in (select sighting_id from here))
    );

create or replace temp table layout_forgotten as
select distinct shape_id
from kept.record
semi join (from log where log_id in (select id from forgotten)) as gone using (log_id, load_number);

delete from kept.shape
where shape_id in (select shape_id from layout_forgotten)
    and shape_id not in (select shape_id from kept.record where log_id not in (select id from forgotten));

delete from kept.sighting_fact
where sighting_id in (select sighting_id from sighting where log_id in (select id from forgotten));

delete from kept.sighting_file
where sighting_id in (select sighting_id from sighting where log_id in (select id from forgotten));

delete from sighting where log_id in (select id from forgotten);
