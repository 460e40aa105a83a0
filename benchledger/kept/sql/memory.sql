-- The highest memory that runs print, by definition and device.
-- reads: kept.shape, claimed_record, run
-- makes: run_memory

insert into run_memory by name
-- The same run has several true memories (allocated, reserved, of the process, of the device): never mixed.
with memory_shape as (
    select
        shape_id,
        ordinal,
        case quantity
            when 'memory_used' then 'device'
            when 'memory_allocated' then 'allocated'
            when 'memory_reserved' then 'reserved'
            when 'memory_process' then 'process'
        end as definition
    from kept.shape
    where unit = 'MiB'
        -- What a card holds at all before or after the training says nothing of it.
        and ((quantity = 'memory_used' and kind in ('sample', 'step'))
            or quantity in ('memory_allocated', 'memory_reserved', 'memory_process'))
),
highest as (
    select
        run_id,
        definition,
        -- A program that numbers its ranks and not its devices: one rank holds one device.
        coalesce(device, 'rank ' || rank) as device,
        max("values"[ordinal]) as value_mib,
        count(*) as records_used
    from claimed_record
    join memory_shape using (shape_id)
    where isfinite("values"[ordinal])
    group by all
)
select run_id, case_id, definition, device, value_mib, records_used
from highest
join run using (run_id)
where run.status <> 'ambiguous';
