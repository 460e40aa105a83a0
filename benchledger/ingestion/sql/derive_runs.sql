-- Runs and their logs, derived again for everything near the logs in temp table touched(log_id). All that is derived
-- depends on the set of active sightings and logs only, never on the order in which they came.

create or replace temp table active_sighting as
select * from sighting where status in ('loaded', 'duplicate') and log_id is not null;

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
    join format using (format)
    where format.role = 'telemetry'
)
select log_id from touched
union
select a.log_id from active_sighting as a join (select distinct folder from place) using (folder)
union
select a.log_id from active_sighting as a join watched using (campaign)
union
select other.log_id from run_log as own join touched using (log_id) join run_log as other using (run_id);

-- What was derived before.

create or replace temp table old_run as
select distinct run_id from run_log join scope using (log_id);

create or replace temp table old_claim as
select run.run_key, run_log.log_id, run_log.segment
from run_log
join run using (run_id)
join old_run using (run_id)
where run_log.role in ('train', 'duplicate_stream');

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
    select distinct s.log_id, s.segment, s.role, a.folder, a.stem, s.stream
    from live_segment as s
    join active_sighting as a using (log_id)
    where s.role in ('train', 'duplicate_stream')
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
)
select
    twin_id, twin_segment, log_id, segment,
    if(strength = 1, 'same folder and stem', 'same folder and records') as paired_by
from (from by_stem union all from by_records)
qualify row_number() over (
    partition by twin_id, twin_segment order by strength desc, common desc, log_id, segment
) = 1;

create or replace temp table new_run as
select
    md5_number_lower(run_key) // 2 as run_id, run_key, log_id, segment, started_at, ended_at,
    role, first_line, last_line, steps_done, step_gap, closing_line, closing_speed, expects_closing,
    final_loss_nan, event_status, event_line, event_text, last_record_line
from (
    select left(log.content_hash, 12) || '-' || s.first_record_line as run_key, s.*
    from live_segment as s
    join log using (log_id)
    where s.role = 'train'
        or (s.role = 'duplicate_stream' and (s.log_id, s.segment) not in (select (twin_id, twin_segment) from twin))
);

create or replace temp table first_sighting as
select log_id, arg_min(sighting_id, (ingested_at, sighting_id)) as sighting_id from active_sighting group by log_id;

insert into run_log by name
select
    run_id, log_id, sighting_id, 'train' as role, segment, first_line, last_line, null::varchar[] as devices,
    'its own log' as paired_by
from new_run
join first_sighting using (log_id);

insert into run_log by name
select
    r.run_id, t.twin_id as log_id, f.sighting_id, 'duplicate_stream' as role, t.twin_segment as segment,
    s.first_line, s.last_line, null::varchar[] as devices, t.paired_by
from twin as t
join new_run as r on r.log_id = t.log_id and r.segment = t.segment
join live_segment as s on s.log_id = t.twin_id and s.segment = t.twin_segment
join first_sighting as f on f.log_id = t.twin_id;

-- Monitors: by folder and stem, else by time where one run only was on the machine.

create or replace temp table monitor as
select s.* from live_segment as s where s.role in ('telemetry', 'profile');

create or replace temp table monitor_by_stem as
select distinct m.log_id, m.segment, r.run_id
from monitor as m
join active_sighting as ma on ma.log_id = m.log_id
join active_sighting as ra on ra.folder = ma.folder and ra.stem = ma.stem and ra.log_id <> ma.log_id
join new_run as r on r.log_id = ra.log_id
qualify count(distinct r.run_id) over (partition by m.log_id, m.segment) = 1;

create or replace temp table monitor_by_time as
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
),
pair as (
    select distinct m.log_id, m.segment, r.run_id, r.started_at, r.ended_at
    from monitor as m
    anti join monitor_by_stem as s on s.log_id = m.log_id
    join active_sighting as a on a.log_id = m.log_id
    join alone as r on r.campaign = a.campaign and r.started_at < m.ended_at and r.ended_at > m.started_at
)
select
    p.log_id, p.segment, p.run_id, min(c.line) as first_line, max(c.line) as last_line,
    list_sort(list(distinct c.device) filter (c.device is not null)) as devices
from pair as p
join record as c on c.log_id = p.log_id and c.logged_at between p.started_at and p.ended_at
group by all;

insert into run_log by name
select
    m.run_id, m.log_id, f.sighting_id, s.role, m.segment, s.first_line, s.last_line, s.devices,
    'same folder and stem' as paired_by
from monitor_by_stem as m
join monitor as s using (log_id, segment)
join first_sighting as f on f.log_id = m.log_id
union all by name
select
    m.run_id, m.log_id, f.sighting_id, s.role, m.segment, m.first_line, m.last_line, m.devices,
    'overlap in time' as paired_by
from monitor_by_time as m
join monitor as s using (log_id, segment)
join first_sighting as f on f.log_id = m.log_id;

-- What a twin has and its train log does not: a log can be cut where its twin is not.

insert into stream_only
select r.log_id, r.byte_offset
from record as r
join (select distinct log_id, run_id, first_line, last_line from run_log where role = 'duplicate_stream') as t
    on t.log_id = r.log_id and r.line between t.first_line and t.last_line
semi join new_run as n on n.run_id = t.run_id
anti join (
    select m.run_id, o.logged_at, o.step
    from record as o
    join run_log as m on m.log_id = o.log_id and m.role = 'train' and o.line between m.first_line and m.last_line
    semi join new_run as n on n.run_id = m.run_id
    -- Only runs that have a twin.
    semi join run_log as d on d.run_id = m.run_id and d.role = 'duplicate_stream'
) as o on o.run_id = t.run_id and o.logged_at = r.logged_at and o.step is not distinct from r.step;
