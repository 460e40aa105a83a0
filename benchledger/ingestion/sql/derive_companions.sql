-- The other logs of a run: its fellows and twins, trackers, manifests, monitors, and sidecars.
-- reads: fellow, new_run, first_sighting, tracker_of, covering, live_segment, twin, listed_log, active_sighting
-- makes: run_log, monitor, monitor_by_manifest, monitor_by_stem, watched, monitor_by_time

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

insert into run_log by name
select
    t.run_id, t.log_id, f.sighting_id, 'tracker' as role, t.segment, s.first_line, s.last_line,
    null::varchar[] as devices, t.paired_by
from tracker_of as t
join live_segment as s using (log_id, segment)
join first_sighting as f on f.log_id = t.log_id;

-- Monitors: by the only manifest that lists them, by folder and stem, else by time where only one run was on the
-- machine.

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

-- A content that lay there before counts for a run of then only; a clock may be in another time zone, but no day away.
create or replace temp table monitor_by_stem as
select distinct
    m.log_id, m.segment, r.run_id, r.started_at, r.ended_at,
    -- Of a log that many runs were appended to, or that a machine always writes, only the time of the run counts.
    coalesce(r.ended_at > r.started_at and (
        m.started_at < r.started_at - interval 14 hour or m.ended_at > r.ended_at + interval 14 hour
    ), false) as is_longer
from monitor as m
anti join monitor_by_manifest as b on b.log_id = m.log_id
join active_sighting as ma on ma.log_id = m.log_id
join active_sighting as ra
    on ra.folder = ma.folder and ra.stem = ma.stem and ra.log_id <> ma.log_id
    and (ma.replaced_at is null or ra.ingested_at < ma.replaced_at and ra.replaced_at is not null)
    and (ra.replaced_at is null or ma.ingested_at < ra.replaced_at)
join new_run as r on r.log_id = ra.log_id
where coalesce(
    m.started_at <= r.ended_at + interval 14 hour and r.started_at <= m.ended_at + interval 14 hour, true
)
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
select log_id, segment, run_id, started_at, ended_at from monitor_by_stem where is_longer
union
select m.log_id, m.segment, r.run_id, r.started_at, r.ended_at
from monitor as m
anti join monitor_by_manifest as b on b.log_id = m.log_id
anti join monitor_by_stem as s on s.log_id = m.log_id
join active_sighting as a on a.log_id = m.log_id and a.replaced_at is null
join alone as r on r.campaign = a.campaign and r.started_at < m.ended_at and r.ended_at > m.started_at;

create or replace temp table monitor_by_time (
    log_id bigint, segment integer, run_id bigint, first_line bigint, last_line bigint, devices varchar[]
);
