-- What a run's speed is made of: every speed and step time that a shape has. A number stands for all that tells readings
-- of one run apart, since it is grouped by faster than six texts.
create or replace temp table printable as
select
    shape_id, ordinal, kind, phase, quantity, unit, name, scope,
    dense_rank() over (order by kind, phase, quantity, unit, name, scope) as reading_key
from shape
where quantity in ('throughput', 'step_time', 'epoch_time') and kind in ('step', 'summary');

-- Where the time from step to step, from round to round of all ranks, or between two records is asked for.
create or replace temp table asked_timing as
select run_format.run_id, asked.quantity
from run_format
semi join chunk_run using (run_id)
join (
    select distinct quantity, unnest(coalesce(formats, [null])) as format
    from rule
    where quantity in ('interval', 'round', 'span')
) as asked
    on coalesce(asked.format, run_format.format) = run_format.format;

-- The times that no log prints, with keys below zero, so that they are none of those that are printed. from_label and
-- to_label are those of the two records between which a span lies.
create or replace temp table timing as
select 'interval' as quantity, null as name, -1 as reading_key, null as from_label, null as to_label
union all
select 'round', null, -2, null, null
union all
select 'span', name, -2 - row_number() over (order by name), split_part(name, ' to ', 1), split_part(name, ' to ', 2)
from (select distinct name from rule where quantity = 'span');

create or replace temp table listed (
    run_id bigint, reading_key bigint, records bigint, usable bigint, lowest_rank integer, has_one_rank boolean,
    kind varchar, phase varchar, quantity varchar, unit varchar, name varchar, scope varchar
);
