-- The highest memory that runs print, by definition and device.
-- reads: kept.shape, claimed_record, run
-- makes: run_memory

insert into run_memory by name
-- The same run has several true memories (allocated, reserved, of the process, of the device): never mixed.
with memory_shape as (
    select
        shape_id,
        ordinal,
        kind,
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
printed as (
    select
        run_id, definition, log_id, logged_at, place, "values"[ordinal] as value_mib,
        -- A program that numbers its ranks and not its devices: one rank holds one device.
        coalesce(device, 'rank ' || rank) as device,
        device is null and rank is null and kind = 'sample' and logged_at is not null as is_unnamed
    from claimed_record
    join memory_shape using (shape_id)
),
of_device as (
    select run_id, definition, device, value_mib
    from printed
    where not is_unnamed and isfinite(value_mib)
    union all by name
    -- A monitor that names no devices prints one row per device, with one time, always in the same order.
    select
        run_id, definition, value_mib,
        'row ' || nullif(dense_rank() over (partition by run_id, definition, log_id, logged_at order by place), 1) as device
    from printed
    where is_unnamed
    qualify isfinite(value_mib)
),
highest as (
    select run_id, definition, device, max(value_mib) as value_mib, count(*) as records_used
    from of_device
    group by all
)
select run_id, case_id, definition, device, value_mib, records_used
from highest
join run using (run_id)
where run.status <> 'ambiguous';
