-- A run that reserved less memory than it allocated: one of the two means something else.
-- severity: warning
select
    allocated.run_id,
    format('{}: {:.0f} MiB allocated, {:.0f} MiB reserved', allocated.device, allocated.value_mib, reserved.value_mib) as about,
    allocated.value_mib as value,
    reserved.value_mib as expected
from run_memory as allocated
join run_memory as reserved
    on reserved.run_id = allocated.run_id and reserved.device is not distinct from allocated.device
where allocated.definition = 'allocated' and reserved.definition = 'reserved' and allocated.value_mib > reserved.value_mib;
