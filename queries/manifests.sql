-- One row per manifest and file that it lists, with its run and the status of the file (missing if it was not seen).
-- $path = '*', a glob of kept.file_place.place
-- Example: bench query manifests
select
    place_of(manifest.path, manifest.archive, manifest.member) as manifest,
    run.run_key,
    run.status,
    sighting_file.file,
    coalesce(min(sighting.status), 'missing') as file_status,
    min(log.format) as format
from sighting as manifest
join log as own on own.log_id = manifest.log_id
join kept.format using (format)
left join kept.sighting_file using (sighting_id)
left join sighting on sighting.place = sighting_file.place and sighting.status <> 'superseded'
left join log on log.log_id = sighting.log_id
left join run_log on run_log.log_id = manifest.log_id
left join run using (run_id)
where format.role = 'manifest' and manifest.status in ('loaded', 'duplicate')
    and (manifest.path glob $path or place_of(manifest.path, manifest.archive, manifest.member) glob $path)
group by all
order by all;
