-- Which logs must be derived together: temp table tie(log_id, hub). Logs with a hub in common are in one closed set.
-- derive_scope.sql finds, near the logs that an ingest has changed, a part of such a set that is whole for its purpose.
-- reads: sighting, segment, sighting_file, root, log_fact
-- makes: tie

create or replace temp table tie as
with active as (
    select * from sighting where status in ('loaded', 'duplicate') and log_id is not null
),
of_role as (
    select active.*, segment.role
    from active
    join (select distinct log_id, role from segment) as segment using (log_id)
),
listed as (
    -- Runs and sidecars of a manifest, wherever they lie.
    select manifest.log_id as manifest_id, member.log_id
    from sighting_file
    join active as manifest using (sighting_id)
    join active as member on member.place = sighting_file.place
),
shared_name as (
    -- How an unstated campaign is called depends on all roots of its root's name.
    select name from root group by name having count(*) > 1
)
-- Twins, monitors and their stems.
select log_id, 'folder ' || folder as hub from active
union
select log_id, 'manifest ' || manifest_id from listed
union
select manifest_id, 'manifest ' || manifest_id from listed
union
-- A tracker's text log: in its folder, in the three above, or its console output in one below.
select log_id, 'folder ' || unnest(folders[1:4]) from of_role where role = 'tracker'
union
-- And the train log of a stream.
select log_id, 'folder ' || folder
from (select log_id, unnest(folders[2:4]) as folder from of_role where role = 'duplicate_stream')
where folder in (select folder from of_role where role = 'train')
union
select below.log_id, 'folder ' || below.folders[2]
from active as below
where below.folders[2] in (select folder from of_role where role in ('tracker', 'duplicate_stream'))
union
select log_id, 'tracker ' || value from log_fact where name = 'tracker_run'
union
-- The ranks of one job.
select log_id, 'job ' || job from active where job is not null
union
select log_id, 'job ' || place from active where place in (select job from active)
union
-- One may be a copy of the other, or its stream.
select log_id, 'beginning ' || beginning
from active
join segment using (log_id)
where beginning is not null
union
-- Which run a monitor watched depends on every run of its campaign.
select log_id, 'campaign ' || campaign
from active
where campaign in (select campaign from of_role where role in ('telemetry', 'profile'))
union
-- A sidecar holds for its folder and what is below.
select below.log_id, 'sidecars of ' || below.folder
from (select log_id, unnest(folders) as folder from active) as below
where below.folder in (select folder from of_role where role = 'sidecar')
union
select active.log_id, 'root ' || name
from active
join root using (root_id)
semi join shared_name using (name)
where active.campaign_path is not null;
