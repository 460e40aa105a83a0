-- One row per profile, device and kernel, the longest total time first.
-- $path = '*', a glob of kept.file_place.place
-- $least_percent = 0
-- Example: bench query kernels -p least_percent=1
select place.path, run.run_key, kernel_table.device, kernel_table.label, kernel_table.calls, kernel_table.total_s,
    kernel_table.mean_s, kernel_table.share_percent
from kept.kernel_table
join place_of_log($path) as place using (log_id)
left join run using (run_id)
where place.path is not null and coalesce(kernel_table.share_percent, 100) >= $least_percent
order by place.path, kernel_table.device, kernel_table.total_s desc, kernel_table.label;
