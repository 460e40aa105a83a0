-- A run that used more memory of a device than its card has.
-- severity: warning
with card as (
    -- What a monitor prints beside the memory that is used.
    select run_id, max(value) as total_mib
    from measurement
    where quantity = 'memory_total' and unit = 'MiB' and run_id is not null
    group by run_id
),
used as (
    select
        run_memory.run_id,
        definition,
        coalesce(device, 'a device') as device,
        value_mib,
        least(gpu_memory_mib, total_mib) as card_mib
    from run_memory
    join run using (run_id)
    join environment using (environment_id)
    left join card on card.run_id = run_memory.run_id
)
select
    run_id,
    format('{} of {}: {:.0f} MiB; the card has {:.0f} MiB', definition, device, value_mib, card_mib) as about,
    value_mib as value,
    card_mib as expected
from used
where value_mib > card_mib;
