-- Sidecars hold for the runs of their folder and below, by sighting: of one format, the nearest, if it is alone there.
-- reads: log, kept.segment, active_sighting, new_run, run_log
-- makes: run_log

insert into run_log by name
with sidecar as (
    select a.folder, log.format, any_value(a.sighting_id order by a.sighting_id) as sighting_id,
        min(a.ingested_at) as ingested_at,
        any_value(s.log_id) as log_id, any_value(s.first_line) as first_line, max(s.last_line) as last_line,
        count(distinct a.log_id) as alike
    from kept.segment as s
    join log using (log_id)
    join active_sighting as a using (log_id)
    where s.role = 'sidecar'
    group by a.folder, log.format
),
above as (
    select r.run_id, a.sighting_id as place, a.replaced_at, unnest(a.folders) as folder, generate_subscripts(a.folders, 1) as distance
    from new_run as r
    join active_sighting as a using (log_id)
    where exists (from sidecar)
),
nearest as (
    select a.run_id, s.*, a.distance
    from above as a
    -- What came with the next log at a place says nothing of the one that lay there before.
    join sidecar as s on s.folder = a.folder and (a.replaced_at is null or s.ingested_at < a.replaced_at)
    qualify distance = min(distance) over (partition by a.run_id, a.place, s.format)
)
select
    run_id, log_id, arg_min(sighting_id, (distance, sighting_id)) as sighting_id, 'sidecar' as role, 1 as segment,
    min(first_line) as first_line, max(last_line) as last_line, null::varchar[] as devices,
    if(min(distance) = 1, 'alone in its folder', 'alone in a folder above') as paired_by
from nearest
where alike = 1 and (run_id, log_id) not in (select (run_id, log_id) from run_log where segment = 1)
group by run_id, log_id;
