-- One row per profile, device and metric: the share of the time with a kernel running, and how busy each pipe was.
-- reads: kept.profile_case, kept.utilization_table
select
    format('{} {}', profile.log_id, used.device) as line, used.value as y, '%' as unit, used.metric, used.device,
    used.method, used.kernels, place.path, profile.*, [profile.log_id] as runs
from kept.profile_case as profile
join kept.utilization_table as used
    on used.log_id = profile.log_id and used.run_id is not distinct from profile.run_id
join place_of_log('*') as place on place.log_id = profile.log_id
where used.value is not null
