-- The readings that the asked rule takes of each run, if possible in the unit of the cell, with the facts behind it, and
-- the speed that comes of them.
-- reads: reading_of_rule, named_reading, alike, speed_now
-- makes: chosen

create or replace temp table chosen as
select
    alike.run_id, kind, reading_of_rule.phase, quantity, name, named_reading.unit, scope, base_unit, yields,
    batch_size_per_gpu, global_batch_size, passes, nodes, gpus, seq_len, params_b, processes,
    case
        when yields is not distinct from base_unit then processes * share
        when yields in ('s', 'min') then processes / conversion
        else processes * conversion * share
    end as factor,
    rate, records_used, value
from reading_of_rule
join named_reading using (reading_key, kind, quantity, phase)
join alike using (like_run)
left join speed_now
    on speed_now.run_id = alike.run_id
    and speed_now.rule = reading_of_rule.rule
    and speed_now.phase = reading_of_rule.phase
    and speed_now.unit is not distinct from yields
where reading_of_rule.phase = 'train'
qualify row_number() over (partition by alike.run_id order by yields is not distinct from getvariable('unit') desc, yields) = 1;
