-- Format and hash of the runs in due_run, before their records are read, and the order of reading.
-- reads: format_now, due_run, run_hash_now, due_record, due_for_rule, run_log, log, kept.segment
-- makes: kept.run_format, kept.run_hash, due_chunk

insert into kept.run_format
from format_now
semi join due_run using (run_id);

insert into kept.run_hash
from run_hash_now;

-- So many records at a time as fit into little memory; a run takes as much as 20 records by itself. A run of more is a
-- chunk of its own, numbered below zero.
create or replace temp table due_chunk as
with size as (
    select run_id, 20 + sum(coalesce(segment.records, log.records)) as weight
    from (
        from due_record
        union all
        from due_for_rule
    )
    join run_log using (run_id)
    join log using (log_id)
    left join kept.segment using (log_id, segment)
    group by run_id
)
select
    run_id,
    if(
        weight > $long_run,
        -row_number() over (order by run_id),
        (sum(weight) filter (weight <= $long_run) over (order by run_id) - weight) // $chunk_records
    ) as chunk
from size;
