-- One row per log that belongs to no run: telemetry, profiles, trackers' settings and sidecars without a run.
-- $path = '*', a glob of kept.file_place.place
-- Example: bench query unpaired
select place.path, place.sightings, log.format, min(segment.started_at) as started_at, max(segment.ended_at) as ended_at,
    sum(segment.records)::bigint as records, log.log_id
from log
join place_of_log($path) as place using (log_id)
join kept.segment using (log_id)
anti join run_log using (log_id)
where place.path is not null
group by place.path, place.sightings, log.format, log.log_id
order by place.path, log.log_id;
