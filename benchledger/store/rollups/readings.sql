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
    printable.quantity,
    record.part,
    record.log_id,
    record.byte_offset,
    printable.ordinal,
    coalesce(record.rank, -1) as rank,
    record.step - 1 as since,
    record.step,
    1 as steps,
    record."values"[printable.ordinal] as value,
    isfinite(value) and (printable.quantity = 'throughput' or value > 0) as is_usable
from chunk_record as record
join printable using (shape_id)
where record.part is not null and value is not null;

-- Most rules need no more than the speeds in their order; structs cost several times as much.
create or replace temp macro listed_of(readings) as table
select
    run_id,
    reading_key,
    any_value(quantity) as quantity,
    coalesce(
        list(per_second(value, steps, quantity) order by part, log_id, byte_offset, ordinal) filter (where is_usable), []
    ) as rates,
    min(per_second(value, steps, quantity)) filter (where is_usable) as lowest_rate,
    count(*) as records,
    min(rank) as lowest_rank,
    min(rank) = max(rank) as has_one_rank
from query_table(readings)
group by run_id, reading_key;

create or replace temp table listed as
select
    listed.* exclude (reading_key),
    printable.kind,
    printable.phase,
    printable.unit,
    printable.name,
    printable.scope
from listed_of('printed_reading') as listed
join (select distinct reading_key, kind, phase, unit, name, scope from printable) as printable using (reading_key);

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
select run_id
from chunk_run
where run_id in (select run_id from asked_timing where quantity = 'interval')
    or run_id not in (
        select run_id
        from listed
        where kind = 'step'
            and phase = 'train'
            and (quantity = 'step_time' or unit is null or unit in ('samples/s', 'tokens/s', 'steps/s'))
    );

create or replace temp table round_run as
select run_id from asked_timing where quantity = 'round';

create or replace temp table span_run as
select run_id from asked_timing where quantity = 'span';

-- Filled where one of these is to be (timings.sql, places.sql).
create or replace temp table timed_reading (
    run_id bigint, quantity varchar, name varchar, part integer, log_id bigint, byte_offset bigint, rank integer,
    since bigint, step bigint, steps bigint, value double, ordinal integer, is_usable boolean, reading_key bigint
);

create or replace temp table placed (
    rule varchar, listed_id bigint, run_id bigint, phase varchar, unit varchar, name varchar, scope varchar,
    readings struct(
        part integer, log_id bigint, byte_offset bigint, ordinal integer, rank integer, since bigint, step bigint,
        steps bigint, value double
    )[]
);
