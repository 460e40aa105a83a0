-- What a run's speed is made of: every speed and step time that a shape has. A number stands for all that tells readings
-- of one run apart, since it is grouped by faster than six texts.
create or replace temp table printable as
select
    shape_id, ordinal, kind, phase, quantity, unit, name, scope,
    dense_rank() over (order by kind, phase, quantity, unit, name, scope) as reading_key
from shape
where quantity in ('throughput', 'step_time', 'epoch_time') and kind in ('step', 'summary');

-- Where the time from step to step, from round to round of all ranks, or between two records is asked for: times that no
-- log prints, with keys below zero, so that they are none of those that are printed. A span is named by its two records.
create or replace temp table asked_timing as
with asked as (
    select distinct quantity, if(quantity = 'span', name, null) as name, unnest(coalesce(formats, [null])) as format
    from rule
    where quantity in ('interval', 'round', 'span')
)
select distinct
    run_format.run_id,
    asked.quantity,
    asked.name,
    case asked.quantity
        when 'interval' then -1
        when 'round' then -2
        -- As of what is printed, the first by name has the lowest key.
        else -2 - dense_rank() over (order by asked.name desc nulls last)
    end as reading_key
from run_format
semi join chunk_run using (run_id)
join asked on coalesce(asked.format, run_format.format) = run_format.format;

create or replace temp table listed (
    run_id bigint, reading_key bigint, records bigint, usable bigint, lowest_rank integer, has_one_rank boolean,
    kind varchar, phase varchar, quantity varchar, unit varchar, name varchar, scope varchar
);
