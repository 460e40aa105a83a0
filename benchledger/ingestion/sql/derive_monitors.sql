-- The monitors of runs, and the sidecars that a manifest lists.
--   covering, new_run
-- reads: monitor, monitor_by_manifest, monitor_by_stem, first_sighting, monitor_by_time, live_segment, listed_log,
--   covering, new_run
-- makes: run_log

insert into run_log by name
select
    m.run_id, m.log_id, f.sighting_id, s.role, m.segment, s.first_line, s.last_line, s.devices,
    m.paired_by
from (
    select run_id, log_id, segment, 'listed in its manifest' as paired_by
    from monitor_by_manifest
    union all
    select run_id, log_id, segment, 'same folder and stem'
    from monitor_by_stem
    where not is_longer
) as m
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
