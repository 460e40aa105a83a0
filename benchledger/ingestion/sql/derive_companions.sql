-- Logs that belong to runs beside their own: monitors, and sidecars.

insert into run_log by name
select
    m.run_id, m.log_id, f.sighting_id, s.role, m.segment, s.first_line, s.last_line, s.devices,
    'listed in its manifest' as paired_by
from monitor_by_manifest as m
join monitor as s using (log_id, segment)
join first_sighting as f on f.log_id = m.log_id
union all by name
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

-- Sidecars that a manifest lists, wherever they lie.

insert into run_log by name
select
    coalesce(c.run_id, r.run_id) as run_id, s.log_id, min(f.sighting_id) as sighting_id, s.role, s.segment,
    min(s.first_line) as first_line, max(s.last_line) as last_line, null::varchar[] as devices,
    'listed in its manifest' as paired_by
from live_segment as s
join listed_log as l using (log_id)
join first_sighting as f using (log_id)
left join covering as c using (listing)
left join new_run as r on r.log_id = l.manifest_id
where s.role = 'sidecar' and s.segment = 1 and coalesce(c.run_id, r.run_id) is not null
group by all;

-- Sidecars hold for the runs of their folder and below, by sighting: of one format, the nearest, if it is alone there.

insert into run_log by name
with sidecar as (
    select a.folder, log.format, any_value(a.sighting_id order by a.sighting_id) as sighting_id,
        any_value(s.log_id) as log_id, any_value(s.first_line) as first_line, max(s.last_line) as last_line,
        count(distinct a.log_id) as alike
    from segment as s
    join log using (log_id)
    join active_sighting as a using (log_id)
    where s.role = 'sidecar'
    group by a.folder, log.format
),
above as (
    select r.run_id, a.sighting_id as place, unnest(a.folders) as folder, generate_subscripts(a.folders, 1) as distance
    from new_run as r
    join active_sighting as a using (log_id)
    where exists (from sidecar)
),
nearest as (
    select run_id, s.*, distance
    from above
    join sidecar as s using (folder)
    qualify distance = min(distance) over (partition by run_id, place, s.format)
)
select
    run_id, log_id, arg_min(sighting_id, (distance, sighting_id)) as sighting_id, 'sidecar' as role, 1 as segment,
    min(first_line) as first_line, max(last_line) as last_line, null::varchar[] as devices,
    if(min(distance) = 1, 'alone in its folder', 'alone in a folder above') as paired_by
from nearest
where alike = 1
group by run_id, log_id
on conflict do nothing;
