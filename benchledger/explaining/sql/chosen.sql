-- The readings that the asked rule takes of each run, if possible in the unit of the cell, with the facts behind it.
-- reads: reading_of_rule, named_reading, alike
-- makes: chosen

create or replace temp table chosen as
select
    run_id, kind, phase, quantity, name, unit, scope, base_unit, yields, batch_size_per_gpu, global_batch_size, nodes,
    gpus, seq_len, params_b, processes,
    case
        when yields is not distinct from base_unit then processes * share
        when yields in ('s', 'min') then processes / conversion
        else processes * conversion * share
    end as factor,
    -- A time is one over the statistic, in so many seconds.
    case when yields is distinct from base_unit then case yields when 's' then 1 when 'min' then 60 end end as seconds
from reading_of_rule
join named_reading using (reading_key, kind, quantity, phase)
join alike using (like_run)
where phase = 'train'
qualify row_number() over (partition by run_id order by yields is not distinct from getvariable('unit') desc, yields) = 1;
