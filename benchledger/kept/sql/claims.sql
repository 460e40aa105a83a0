-- Which lines of which logs the runs of a chunk claim, and the order of these for each run.
-- reads: run_log, chunk_run, log, kept.run_source
-- makes: claim, in_order

-- Part 0 is what a run's numbers come from, part 1 what only its twin has; NULL is telemetry and the like. A place is one
-- number: the rank of a log among those of its run, then a record's byte (of 1 TB), then the value's ordinal. A line that
-- prints so many values that these reach into the next byte is longer than that.
create or replace temp table claim as
with own as (
    select run_log.*, log.load_number, log.lines, run_source.run_id is not null as is_source
    from run_log
    semi join chunk_run using (run_id)
    join log using (log_id)
    left join kept.run_source using (run_id, log_id, segment)
    where run_log.role not in ('copy', 'rank')
)
select
    run_id,
    log_id,
    load_number,
    segment,
    first_line,
    last_line,
    devices,
    role = 'duplicate_stream' and not is_source as is_twin,
    case
        when is_source then 0
        when role = 'duplicate_stream' and bool_or(is_source and role = 'train') over (partition by run_id) then 1
    end as part,
    dense_rank() over (partition by run_id order by is_source desc, log_id) << 46 as log_place,
    -- Of a log with many runs a record is compared with those of its block of lines only.
    unnest(range(first_line >> 10, (greatest(least(last_line, lines), first_line) >> 10) + 1)) as block
from own;

-- What the row before says, where that one stands before it: a window that reads rows as they come relies on their order.
create or replace temp macro in_order(place, place_before, value) as
    if(place_before > place, error('the records of a run are not read in their order'), value);
