-- Which memory shapes print, by definition. The same run has several true memories (allocated, reserved, of the process,
-- of the device): never mixed.
select
    shape_id,
    ordinal,
    case quantity
        when 'memory_used' then 'device'
        when 'memory_allocated' then 'allocated'
        when 'memory_reserved' then 'reserved'
        when 'memory_process' then 'process'
    end as definition
from shape
where unit = 'MiB'
    and (
        -- What a card holds at all before or after the training says nothing of it.
        (quantity = 'memory_used' and kind in ('sample', 'step'))
        or quantity in ('memory_allocated', 'memory_reserved', 'memory_process')
    )
order by shape_id, ordinal
