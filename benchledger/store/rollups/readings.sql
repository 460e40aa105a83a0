-- What the records of temp table chunk_record say of speed, before a rule is asked.

-- What a run's speed is made of: every speed and step time that it prints. A number stands for all that tells readings of
-- one run apart, since it is grouped by faster than six texts.
create or replace temp table printable as
select
    shape_id, ordinal, kind, phase, quantity, unit, name, scope,
    dense_rank() over (order by kind, phase, quantity, unit, name, scope) as reading_key
from shape
where quantity in ('throughput', 'step_time', 'epoch_time') and kind in ('step', 'summary');

create or replace temp view printed_reading as
select
    record.run_id,
    printable.reading_key,
    record.place,
    printable.ordinal,
    record.epoch,
    record.rank,
    record.step - 1 as since,
    record.step,
    record."values"[printable.ordinal] as value,
    isfinite(value) and (printable.quantity = 'throughput' or value > 0) as is_usable
from chunk_record as record
join printable using (shape_id)
where record.part is not null and value is not null;

create or replace temp table listed as
with own as (
    select
        run_id,
        reading_key,
        count(*) as records,
        count(*) filter (is_usable) as usable,
        min(coalesce(rank, -1)) as lowest_rank,
        min(coalesce(rank, -1)) = max(coalesce(rank, -1)) as has_one_rank
    from printed_reading
    group by run_id, reading_key
)
select own.*, said.kind, said.phase, said.quantity, said.unit, said.name, said.scope
from own
join (select distinct reading_key, kind, phase, quantity, unit, name, scope from printable) as said using (reading_key);

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

-- Intervals are made where nothing else tells a step's speed, or a rule asks for them.
create or replace temp table timed_run as
select run_id, 'interval' as quantity
from chunk_run
where run_id in (select run_id from asked_timing where quantity = 'interval')
    or run_id not in (
        select run_id
        from listed
        where kind = 'step'
            and phase = 'train'
            and (quantity = 'step_time' or unit is null or unit in ('samples/s', 'tokens/s', 'steps/s'))
    )
union all
select run_id, quantity
from asked_timing
where quantity in ('round', 'span');

-- Filled by the times that no log prints (intervals.sql and those behind it) and by rank_medians.sql.
create or replace temp table made_reading (
    run_id bigint, reading_key bigint, place bigint, rank integer, since bigint, step bigint, value double,
    is_usable boolean
);

-- Keys below zero, so that they are none of those that are printed.
create or replace temp table timing as
select 'interval' as quantity, null as name, -1 as reading_key
union all
select 'round', null, -2
union all
select 'span', name, -2 - row_number() over (order by name)
from (select distinct name from rule where quantity = 'span');

create or replace temp view reading as
select run_id, reading_key, place, ordinal, rank, since, step, value
from printed_reading
where is_usable
union all
select run_id, reading_key, place, 0, rank, since, step, value
from made_reading
where is_usable;
