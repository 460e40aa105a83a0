-- Which kept numbers are filled again for the runs in due_run, which are gone, changed or new.
-- reads: due_run, kept.stream_only, run_log, log, fact, run, format_now, kept.run_hash
-- makes: run_hash_now, due_record, due_for_rule

create or replace temp table run_hash_now as
with only_here as (
    select log_id, bit_xor(hash(byte_offset)) as offsets
    from kept.stream_only
    group by log_id
),
read as (
    select
        run_log.run_id,
        list_sort(list({
            'log_id': run_log.log_id, 'role': run_log.role, 'segment': run_log.segment, 'first': run_log.first_line,
            'last': run_log.last_line, 'devices': run_log.devices, 'by': log.definitions_hash, 'only': only_here.offsets
        })) as logs
    from run_log
    semi join due_run using (run_id)
    join log using (log_id)
    left join only_here using (log_id)
    group by run_log.run_id
),
stated as (
    select run_id, list_sort(list(value)) as params_b
    from fact
    semi join due_run using (run_id)
    where name = 'params_b' and used
    group by run_id
)
select run.run_id, hash(run.case_id, format_now.format, read.logs, stated.params_b) as print
from run
semi join due_run using (run_id)
left join format_now using (run_id)
left join read using (run_id)
left join stated using (run_id);

-- A run whose logs and case are what they were is not read again, but for a rule that has changed.
create or replace temp table due_record as
select run_id
from (from run_hash_now except from kept.run_hash);

create or replace temp table due_for_rule (run_id bigint);
