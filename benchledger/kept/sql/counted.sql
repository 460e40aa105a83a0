-- How many readings a run has of each key, and which of its times are made.
-- reads: printed, printed_as, asked_timing, chunk_run
-- makes: speed_key, run_reading, named_reading, asked_timing

create or replace temp table speed_key as
select distinct reading_key
from printed_as
where quantity = 'throughput';

create or replace temp table run_reading as
select
    run_id,
    reading_key,
    count(*) as records,
    count(*) filter (is_usable(value, reading_key in (select reading_key from speed_key), step)) as usable,
    min(lane) as lowest_lane,
    min(lane) = max(lane) as has_one_rank
from printed
group by run_id, reading_key;

-- Times from step to step are made where a rule asks for them by name, or where nothing else tells the speed of a step.
insert into asked_timing
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
    and run_id not in (select run_id from asked_timing where reading_key = -1);

create or replace temp table named_reading as
select distinct reading_key, kind, phase, quantity, unit, name, scope
from printed_as
union
select reading_key, if(quantity = 'span', 'summary', 'step'), 'train', quantity, 's', name, 'global'
from asked_timing;
