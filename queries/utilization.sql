-- One row per profile, device and metric: share of the time with a kernel running, and how busy each pipe was.
-- $path = '*', a glob of kept.file_place.place
-- Example: bench query utilization
select place.path, run.run_key, utilization_table.device, utilization_table.metric, utilization_table.value as percent,
    utilization_table.kernels, utilization_table.busy_s, utilization_table.profiled_s, utilization_table.method
from kept.utilization_table
join place_of_log($path) as place using (log_id)
left join run using (run_id)
where place.path is not null
order by place.path, utilization_table.device, utilization_table.metric;
