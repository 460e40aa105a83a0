-- What is known of the runs in temp table due_run before their records are read, and in which order these are.

insert into run_format
from format_now
semi join due_run using (run_id);

insert into kept_run
from print_now;

-- So much at a time as fits into little memory: a run takes as much as 20 records by itself. Runs of more are in chunks
-- numbered below zero, which are read in parts: together up to so many records, since what is asked of a chunk has its
-- price, and what is kept of each until then takes memory.
create or replace temp table due_chunk as
with size as (
    select run_id, 20 + sum(log.records) as weight
    from (
        from due_record
        union all
        from asked_again
    )
    join (select distinct run_id, log_id from run_log) using (run_id)
    join log using (log_id)
    group by run_id
)
select
    run_id,
    if(
        weight > $long_run,
        -1 - (sum(weight) filter (where weight > $long_run) over (order by run_id) - weight) // $long_chunk,
        (sum(weight) filter (where weight <= $long_run) over (order by run_id) - weight) // $chunk_records
    ) as chunk
from size;
