-- A run that used more memory of a device than its card has.
-- severity: warning
select
    run_memory.run_id,
    format('{} of {}: {:.0f} MiB; the card has {} MiB', definition, coalesce(device, 'a device'), value_mib, gpu_memory_mib)
        as about,
    value_mib as value,
    gpu_memory_mib as expected
from run_memory
join run using (run_id)
join environment using (environment_id)
where value_mib > gpu_memory_mib;
