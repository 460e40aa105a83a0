-- The highest memory that the runs of temp table chunk_run print, by definition and device. The same run has several true
-- memories (allocated, reserved, of the process, of the device): never mixed.

delete from run_memory where run_id in (select run_id from chunk_run);

insert into run_memory
with printed as (
    select shape_id, ordinal, kind, quantity
    from shape
    where unit = 'MiB'
        and (
            -- What a card holds at all before or after the training says nothing of it.
            (quantity = 'memory_used' and kind in ('sample', 'step'))
            or quantity in ('memory_allocated', 'memory_reserved', 'memory_process')
        )
)
select
    record.run_id,
    run.case_id,
    case printed.quantity
        when 'memory_used' then 'device'
        when 'memory_allocated' then 'allocated'
        when 'memory_reserved' then 'reserved'
        when 'memory_process' then 'process'
    end as definition,
    -- A program that numbers its ranks and not its devices: one rank holds one device.
    coalesce(record.device, 'rank ' || record.rank) as device,
    max(record."values"[printed.ordinal]) as value_mib,
    count(*) as records_used
from chunk_record as record
join printed using (shape_id)
join run using (run_id)
where record.is_measured and isfinite(record."values"[printed.ordinal])
group by all;
