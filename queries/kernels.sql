-- One row per profile, device and kernel, those that took the most time first.
-- $path = '*'
-- $least_percent = 0
with place as (
    select
        log_id,
        min(place_of(path, archive, member))
            filter (path glob $path or place_of(path, archive, member) glob $path) as path
    from sighting
    where status in ('loaded', 'duplicate')
    group by log_id
)
select place.path, run.run_key, kernel_table.device, kernel_table.label, kernel_table.calls, kernel_table.total_s,
    kernel_table.mean_s, kernel_table.share_percent
from kernel_table
join place using (log_id)
left join run using (run_id)
where place.path is not null and coalesce(kernel_table.share_percent, 100) >= $least_percent
order by place.path, kernel_table.device, kernel_table.total_s desc, kernel_table.label;
