-- Runs and their logs, derived again for everything near the logs in temp table touched(log_id). All that is derived
-- depends on the set of active sightings and logs only, never on the order in which they came.

create or replace temp table active_sighting as
select sighting_id, log_id, place, folder, folders, stem, campaign, ingested_at
from sighting
where status in ('loaded', 'duplicate') and log_id is not null;

-- Which logs a manifest binds: those that were seen where it says that they lie. The same manifest elsewhere binds others.
create or replace temp table listed_log as
select f.sighting_id as listing, m.log_id as manifest_id, a.log_id, min(f.file) as file
from sighting_file as f
join active_sighting as m using (sighting_id)
join active_sighting as a on a.place = f.place
where a.log_id <> m.log_id
group by f.sighting_id, m.log_id, a.log_id;

-- What is derived anew must be whole: logs that a manifest or a run ties together are derived together.
create or replace temp table tie as
with many as (
    select run_id, log_id from run_log where role <> 'sidecar'
    qualify count(*) over (partition by run_id) > 1
),
bound as (
    select log_id, 'manifest ' || manifest_id as hub from listed_log
    union
    select manifest_id, 'manifest ' || manifest_id from listed_log
)
from bound
union
select log_id, 'run ' || run_id from many
union
select a.log_id, a.folder
from active_sighting as a
semi join (
    select folder from active_sighting where log_id in (select log_id from bound union all select log_id from many)
) as f on f.folder = a.folder;

create or replace temp table scope as
with recursive place as (
    select distinct folder, campaign from active_sighting join touched using (log_id)
),
watched as (
    -- Whether a monitor's log belongs to one run only depends on every run of its campaign.
    select distinct a.campaign
    from active_sighting as a
    join (select distinct campaign from place) using (campaign)
    join log using (log_id)
    join format using (format)
    where format.role = 'telemetry'
),
hanging as (
    -- A sidecar holds for its folder and what is below.
    select distinct sighting.folder
    from sighting
    join touched using (log_id)
    join log using (log_id)
    join format using (format)
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
),
closed as (
    select log_id from near
    union
    select other.log_id from closed join tie as own using (log_id) join tie as other using (hub)
)
from closed;

-- What was derived before.

create or replace temp table old_run as
select distinct run_id from run_log join scope using (log_id) where role <> 'sidecar';

create or replace temp table old_claim as
select run.run_key, run_log.log_id, run_log.segment
from run_log
join run using (run_id)
join old_run using (run_id)
where run_log.role in ('train', 'duplicate_stream', 'manifest');

delete from fact where run_id in (select run_id from old_run);
delete from run_log where run_id in (select run_id from old_run);
delete from run where run_id in (select run_id from old_run);
delete from stream_only where log_id in (select log_id from scope);

-- Each segment of a train log is a run; a twin joins the run of the train log that it repeats, or is one itself.

create or replace temp table live_segment as
select s.*
from segment as s
join (select distinct log_id from scope) using (log_id)
semi join active_sighting as a on a.log_id = s.log_id;

create or replace temp table twin as
with placed as (
    select distinct
        s.log_id, s.segment, s.role, a.folder, a.stem, s.stream, s.losses, s.started_at is not null as is_timed
    from live_segment as s
    join active_sighting as a using (log_id)
    where s.role in ('train', 'duplicate_stream') and exists (from live_segment where role = 'duplicate_stream')
),
by_manifest as (
    select t.log_id as twin_id, t.segment as twin_segment, r.log_id, r.segment, 2 as strength, 1000 as common
    from placed as t
    join listed_log as lt on lt.log_id = t.log_id
    join listed_log as lr on lr.listing = lt.listing
    join placed as r on r.log_id = lr.log_id and r.segment = t.segment and r.role = 'train'
    where t.role = 'duplicate_stream'
),
by_stem as (
    select t.log_id as twin_id, t.segment as twin_segment, r.log_id, r.segment, 1 as strength, 1000 as common
    from placed as t
    join placed as r on r.folder = t.folder and r.stem = t.stem and r.segment = t.segment and r.role = 'train'
    where t.role = 'duplicate_stream'
),
moment as (
    select log_id, segment, role, folder, unnest(stream) as at_us, len(stream) as moments from placed
),
by_records as (
    select
        t.log_id as twin_id, t.segment as twin_segment, r.log_id, r.segment, 0 as strength, count(*) as common
    from moment as t
    join moment as r on r.folder = t.folder and r.at_us = t.at_us and r.role = 'train'
    where t.role = 'duplicate_stream'
    group by all
    having count(*) * 2 >= least(any_value(t.moments), any_value(r.moments))
),
-- A log without times is told by its first losses, in order, to the four digits that such a log prints. Two logs that
-- both fit are two trials of one seed: it is of neither.
by_losses as (
    select
        t.log_id as twin_id, t.segment as twin_segment, r.log_id, r.segment, 0 as strength,
        len(list_filter(list_zip(t.losses, r.losses), lambda x: nearly(x[1], x[2]))) as common
    from placed as t
    join placed as r on r.folder = t.folder and r.role = 'train'
    where t.role = 'duplicate_stream' and not (t.is_timed and r.is_timed)
        and least(len(t.losses), len(r.losses)) >= 4
        and common = least(len(t.losses), len(r.losses))
    qualify count(*) over (partition by t.log_id, t.segment) = 1
)
select
    twin_id, twin_segment, log_id, segment,
    case strength
        when 2 then 'listed in one manifest' when 1 then 'same folder and stem' else 'same folder and records'
    end as paired_by
from (from by_manifest union all from by_stem union all from by_records union all from by_losses)
qualify row_number() over (
    partition by twin_id, twin_segment order by strength desc, common desc, log_id, segment
) = 1;

-- Train logs that one manifest lists are one run, where each holds one: the first by name is the run's own.
create or replace temp table fellow as
with whole as (
    select l.listing, l.log_id, l.file, s.first_line, s.last_line
    from listed_log as l
    join live_segment as s using (log_id)
    where s.role = 'train'
    qualify max(s.segment) over (partition by l.listing) = 1
),
found as (
    select log_id, first(main order by main) as main, any_value(first_line) as first_line, any_value(last_line) as last_line
    from (select *, arg_min(log_id, (file, log_id)) over (partition by listing) as main from whole)
    where log_id <> main
    group by log_id
)
select * from found where main not in (select log_id from found);

create or replace temp table new_run as
select
    md5_number_lower(run_key) // 2 as run_id, run_key, log_id, segment, started_at, ended_at,
    role, first_line, last_line, steps_done, step_gap, closing_line, closing_speed, expects_closing,
    final_loss_nan, event_status, event_line, event_text, last_record_line
from (
    select left(log.content_hash, 12) || '-' || s.first_record_line as run_key, s.*
    from live_segment as s
    join log using (log_id)
    where (s.role = 'train' and s.log_id not in (select log_id from fellow))
        or (s.role = 'duplicate_stream' and (s.log_id, s.segment) not in (select (twin_id, twin_segment) from twin))
);

-- Which runs a manifest covers; one that covers none is a run itself, of which it alone says what became.
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
        first_record_line, records, step_records, stream, losses, devices
    )
    from live_segment as s
    join log using (log_id)
    where s.role = 'manifest' and s.log_id not in (select manifest_id from covering)
);

create or replace temp table first_sighting as
select log_id, arg_min(sighting_id, (ingested_at, sighting_id)) as sighting_id from active_sighting group by log_id;

insert into run_log by name
select
    run_id, log_id, sighting_id, if(role = 'manifest', role, 'train') as role, segment, first_line, last_line,
    null::varchar[] as devices, if(role = 'manifest', 'none of its logs is known', 'its own log') as paired_by
from new_run
join first_sighting using (log_id);

insert into run_log by name
select
    r.run_id, f.log_id, s.sighting_id, 'train' as role, 1 as segment, f.first_line, f.last_line,
    null::varchar[] as devices, 'listed in one manifest' as paired_by
from fellow as f
join new_run as r on r.log_id = f.main
join first_sighting as s on s.log_id = f.log_id;

insert into run_log by name
select
    c.run_id, s.log_id, min(c.listing) as sighting_id, s.role, s.segment, s.first_line, s.last_line,
    null::varchar[] as devices, 'it lists its logs' as paired_by
from covering as c
join live_segment as s on s.log_id = c.manifest_id
group by all;

insert into run_log by name
select
    r.run_id, t.twin_id as log_id, f.sighting_id, 'duplicate_stream' as role, t.twin_segment as segment,
    s.first_line, s.last_line, null::varchar[] as devices, t.paired_by
from twin as t
join new_run as r on r.log_id = t.log_id and r.segment = t.segment
join live_segment as s on s.log_id = t.twin_id and s.segment = t.twin_segment
join first_sighting as f on f.log_id = t.twin_id;

-- Monitors: by the only manifest that lists them, by folder and stem, else by time where one run only was on the machine.

create or replace temp table monitor as
select s.* from live_segment as s where s.role in ('telemetry', 'profile');

create or replace temp table monitor_by_manifest as
select distinct m.log_id, m.segment, coalesce(c.run_id, r.run_id) as run_id
from monitor as m
join listed_log as l using (log_id)
left join covering as c using (listing)
left join new_run as r on r.log_id = l.manifest_id
where coalesce(c.run_id, r.run_id) is not null
qualify count(distinct coalesce(c.run_id, r.run_id)) over (partition by m.log_id, m.segment) = 1;

create or replace temp table monitor_by_stem as
select distinct m.log_id, m.segment, r.run_id
from monitor as m
anti join monitor_by_manifest as b on b.log_id = m.log_id
join active_sighting as ma on ma.log_id = m.log_id
join active_sighting as ra on ra.folder = ma.folder and ra.stem = ma.stem and ra.log_id <> ma.log_id
join new_run as r on r.log_id = ra.log_id
qualify count(distinct r.run_id) over (partition by m.log_id, m.segment) = 1;

-- derive_watched.sql reads the records of these logs, if there are any.
create or replace temp table watched as
with placed_run as (
    select distinct r.run_id, a.campaign, r.started_at, r.ended_at
    from new_run as r
    join active_sighting as a using (log_id)
    where r.started_at is not null and r.ended_at > r.started_at
),
alone as (
    select r.*
    from placed_run as r
    anti join placed_run as o
        on o.campaign = r.campaign and o.run_id <> r.run_id and o.started_at < r.ended_at and o.ended_at > r.started_at
)
select distinct m.log_id, m.segment, r.run_id, r.started_at, r.ended_at
from monitor as m
anti join monitor_by_manifest as b on b.log_id = m.log_id
anti join monitor_by_stem as s on s.log_id = m.log_id
join active_sighting as a on a.log_id = m.log_id
join alone as r on r.campaign = a.campaign and r.started_at < m.ended_at and r.ended_at > m.started_at;

create or replace temp table monitor_by_time (
    log_id bigint, segment integer, run_id bigint, first_line bigint, last_line bigint, devices varchar[]
);
