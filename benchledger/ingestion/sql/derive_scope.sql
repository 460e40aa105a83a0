-- Makes temp table scope, the logs to derive again: all logs near those in temp table touched(log_id). Derived rows
-- depend only on the set of active sightings and logs, never on the order in which they came.
-- reads: sighting, kept.sighting_file, run_log, touched, log, kept.format, kept.log_fact,
--   kept.segment
-- makes: active_sighting, listed_log, tracker_place, tie, scope

-- `of_copy`: seen as a copy only (derive_copies.sql). `replaced_at`: when other content was read at the same place, which
-- is no growth; NULL for what lies there now.
create or replace temp table active_sighting as
with active as (
    select sighting_id, log_id, place, archive, member, folder, folders, stem, job, job_rank, campaign, ingested_at
    from sighting
    where status in ('loaded', 'duplicate') and log_id is not null
),
replaced as (
    select
        sighting_id,
        min(ingested_at) over (
            partition by place, archive, member order by ingested_at
            range between interval 1 microsecond following and unbounded following
        ) as replaced_at
    from active
    semi join (select place from active group by place having count(*) > 1) as again using (place)
)
select active.* exclude (archive, member), replaced_at, false as of_copy
from active
left join replaced using (sighting_id);

-- Which logs a manifest binds: those that lie at the places that it lists. The same manifest in another folder binds
-- others.
create or replace temp table listed_log as
-- First the listings: DuckDB may else compare each sighting with each other one, to find those of other logs.
with listing as materialized (
    select f.sighting_id as listing, m.log_id as manifest_id, f.place, f.file
    from kept.sighting_file as f
    join active_sighting as m using (sighting_id)
)
select l.listing, l.manifest_id, a.log_id, min(l.file) as file
from listing as l
join active_sighting as a on a.place = l.place and a.log_id <> l.manifest_id and a.replaced_at is null
group by l.listing, l.manifest_id, a.log_id;

-- The folders in which the text log of a tracker's run can lie: its own, three above, and that of its console output. Of a
-- stream's run those of them that hold a train log.
create or replace temp table tracker_place as
with own as (
    select a.log_id, a.folders, format.role
    from active_sighting as a
    join log using (log_id)
    join kept.format using (format)
    where format.role in ('tracker', 'duplicate_stream')
)
select log_id, unnest(folders[1:4]) as folder from own where role = 'tracker'
union
select log_id, folder
from (select log_id, unnest(folders[2:4]) as folder from own where role = 'duplicate_stream')
where folder in (
    select folder from active_sighting join log using (log_id) join kept.format using (format) where format.role = 'train'
)
union
select o.log_id, a.folder
from own as o
join active_sighting as a on a.folders[2] = o.folders[1];

-- Logs that a manifest or a run ties together are derived together.
create or replace temp table tie as
with many as (
    select run_id, log_id from run_log where role <> 'sidecar'
    qualify count(*) over (partition by run_id) > 1
),
bound as (
    select log_id, 'manifest ' || manifest_id as hub from listed_log
    union
    select manifest_id, 'manifest ' || manifest_id from listed_log
    union
    -- The ranks of one job.
    select log_id, 'job ' || job from active_sighting where job is not null
    union
    select log_id, 'job ' || place from active_sighting where place in (select job from active_sighting)
    union
    -- One may be a copy of another one, or its stream.
    select log_id, 'beginning ' || beginning
    from kept.segment
    semi join (
        select beginning
        from kept.segment
        where beginning is not null
        group by beginning
        having min(log_id) < max(log_id)
    ) as shared using (beginning)
)
from bound
union
select log_id, 'run ' || run_id from many
union
select log_id, 'tracker ' || value from kept.log_fact where name = 'tracker_run'
union
select log_id, folder from tracker_place
union
select a.log_id, a.folder
from active_sighting as a
semi join (
    select folder from active_sighting where log_id in (select log_id from bound union all select log_id from many)
    union all
    select folder from tracker_place
) as f on f.folder = a.folder;

create or replace temp table scope as
with place as (
    select distinct folder, campaign from active_sighting join touched using (log_id)
),
watched as (
    -- Whether a monitor's log belongs to one run only depends on every run of its campaign.
    select distinct a.campaign
    from active_sighting as a
    join (select distinct campaign from place) using (campaign)
    join log using (log_id)
    join kept.format using (format)
    where format.role = 'telemetry'
),
hanging as (
    -- A sidecar holds for its folder and what is below.
    select distinct sighting.folder
    from sighting
    join touched using (log_id)
    join log using (log_id)
    join kept.format using (format)
    where format.role = 'sidecar'
),
near as (
    select log_id from touched
    union
    select a.log_id from active_sighting as a join (select distinct folder from place) using (folder)
    union
    select a.log_id from active_sighting as a join watched using (campaign)
    union
    select a.log_id
    from (select log_id, unnest(folders) as folder from active_sighting where exists (from hanging)) as a
    join hanging using (folder)
    union
    select other.log_id from run_log as own join touched using (log_id) join run_log as other using (run_id)
)
from near;
