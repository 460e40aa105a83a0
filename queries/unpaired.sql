-- One row per log that was read and that no run claims: telemetry, profiles and sidecars without a partner.
-- $path = '*'
with place as (
    select
        log_id,
        min(place_of(path, archive, member))
            filter (path glob $path or place_of(path, archive, member) glob $path) as path,
        count(*) as sightings
    from sighting
    where status in ('loaded', 'duplicate')
    group by log_id
)
select place.path, place.sightings, log.format, min(segment.started_at) as started_at, max(segment.ended_at) as ended_at,
    sum(segment.records)::bigint as records, log.log_id
from log
join place using (log_id)
join segment using (log_id)
anti join run_log using (log_id)
where place.path is not null
group by place.path, place.sightings, log.format, log.log_id
order by place.path, log.log_id;
