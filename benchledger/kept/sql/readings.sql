-- Every number that can tell the speed of a run: printed, or a time between records that no log prints.
-- reads: kept.shape, chunk_rule, kept.run_format, chunk_run, claimed_record, again, unnamed_lane, micro_value
-- makes: printed_as, needed_timing, printed, moment, speed_key, run_reading, named_reading, is_usable, is_within,
--   steps_between

-- A time is above nought. A speed below nought is none, nor one of nought behind a step that was done: kept as logged, it
-- enters no speed.
create or replace temp macro is_usable(value, is_speed, step) as
    isfinite(value) and (value > 0 or (is_speed and value = 0 and coalesce(step, 0) <= 0));

create or replace temp macro is_within(since, step, after_step, to_step) as
    coalesce(since >= coalesce(after_step, since) and step <= coalesce(to_step, step), false);

-- An iteration that overflowed repeats its step number; it was computed all the same.
create or replace temp macro steps_between(since, step) as
    greatest(coalesce(step - since, 1), 1)::double;

-- A number stands for all that tells readings of a run apart: it is grouped by faster than six texts. Keys are in the
-- order of names and scopes; those of times that no log prints are below zero.
create or replace temp table printed_as as
select
    shape_id, ordinal, kind, phase, quantity, unit, name, scope,
    (dense_rank() over (order by kind, phase, quantity, unit, name, scope))::integer as reading_key
from kept.shape
where quantity in ('throughput', 'step_time', 'epoch_time') and kind in ('step', 'summary');

-- Times that rules ask for: from step to step, from round to round of all ranks, between two labelled records.
create or replace temp table needed_timing as
with needed as (
    select distinct quantity, if(quantity = 'span', name, null) as name, unnest(coalesce(formats, [null])) as format
    from chunk_rule as rule
    where quantity in ('interval', 'round', 'span')
)
select distinct
    run_format.run_id,
    needed.quantity,
    needed.name,
    case needed.quantity
        when 'interval' then -1
        when 'round' then -2
        else -2 - dense_rank() over (order by needed.name desc nulls last)
    end::integer as reading_key
from kept.run_format
semi join chunk_run using (run_id)
join needed on coalesce(needed.format, run_format.format) = run_format.format;

create or replace temp table printed as
select
    claimed_record.run_id,
    reading_key,
    coalesce(rank, unnamed_lane.lane, -1) as lane,
    epoch,
    step,
    claimed_record.place + ordinal as place,
    coalesce(micro_value.value, "values"[ordinal]) as value,
    micro_value.value is null and (claimed_record.run_id, claimed_record.place) in (select (run_id, place) from again) as is_again
from claimed_record
left join unnamed_lane using (run_id, place)
join printed_as using (shape_id)
left join micro_value
    on micro_value.run_id = claimed_record.run_id and micro_value.place = claimed_record.place + ordinal
where part is not null and "values"[ordinal] is not null;

-- `in` keeps the order of the rows; another join might change it.
create or replace temp view moment as
select
    run_id, place, coalesce(rank, -1) as lane, step, label, logged_at, clock_s,
    shape_id in (select shape_id from kept.shape where kind = 'step' and phase = 'train')
        and (run_id, place) not in (select (run_id, place) from again)
        and (run_id, place) not in (select (run_id, place) from unnamed_lane) as is_step,
    run_id in (select run_id from needed_timing where reading_key = -1) as makes_intervals,
    run_id in (select run_id from needed_timing where reading_key = -2) as makes_rounds
from claimed_record
where part is not null;

create or replace temp table speed_key as
select distinct reading_key
from printed_as
where quantity = 'throughput';

-- How many readings a run has of each key.
create or replace temp table run_reading as
select
    run_id,
    reading_key,
    count(*) as records,
    count(*) filter (
        not is_again and is_usable(value, reading_key in (select reading_key from speed_key), step)
    ) as usable,
    -- If the log does not name its ranks: only the first line of each step.
    if(max(lane) < 0, max(lane), min(lane)) as lowest_lane,
    min(lane) = max(lane) as has_one_rank
from printed
group by run_id, reading_key;

-- Times from step to step are made where a rule asks for them by name, or where nothing else tells the speed of a step.
insert into needed_timing
select run_id, 'interval', null, -1
from chunk_run
where run_id not in (
        select run_id
        from run_reading
        join printed_as using (reading_key)
        where kind = 'step'
            and phase = 'train'
            and (quantity = 'step_time' or unit is null or unit in ('samples/s', 'tokens/s', 'steps/s'))
    )
    and run_id not in (select run_id from needed_timing where reading_key = -1);

create or replace temp table named_reading as
select distinct reading_key, kind, phase, quantity, unit, name, scope
from printed_as
union
select reading_key, if(quantity = 'span', 'summary', 'step'), 'train', quantity, 's', name, 'global'
from needed_timing;
