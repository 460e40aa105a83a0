-- What is to be filled again for the runs in temp table due_run, which are gone, changed or new. A run whose logs and case
-- are what they were is not read again: due_record are those that are. Of others only changed rules are asked.

-- A run whose logs have several formats takes that of the smallest log id, so that loading order does not matter.
-- A run of which only a manifest is known takes the format of its implementation, so that it is missing from the table
-- in which it would stand.
create or replace temp table format_now as
with own as (
    select run_source.run_id, arg_min(log.format, log.log_id) as format, bool_and(role = 'manifest') as logless
    from run_source
    join log using (log_id)
    group by run_source.run_id
),
logless as (
    select own.run_id, bench_case.framework, bench_case.implementation, bench_case.model, bench_case.task
    from own
    join run using (run_id)
    join bench_case using (case_id)
    where own.logless
),
sibling as (
    -- An implementation may have a program for each model: runs of the same work tell which.
    select logless.run_id, min(own.format) as format
    from logless
    join bench_case
        on bench_case.framework is not distinct from logless.framework
        and bench_case.implementation = logless.implementation
        and bench_case.model = logless.model
        and bench_case.task is not distinct from logless.task
    join run using (case_id)
    join own on own.run_id = run.run_id and not own.logless
    join format on format.format = own.format
    where format.default_rule is not null
    group by logless.run_id
    having count(distinct format.default_rule) = 1
),
alike as (
    select logless.run_id, min(format.format) as format
    from logless
    join format
        on format.framework is not distinct from logless.framework
        and format.implementation = logless.implementation
    where format.role in ('train', 'duplicate_stream') and format.default_rule is not null
    group by logless.run_id
    having count(distinct format.default_rule) = 1
)
select own.run_id, coalesce(sibling.format, alike.format, own.format) as format
from own
left join sibling using (run_id)
left join alike using (run_id);

-- A run of which no log is known may follow runs that are anywhere.
insert into due_run
select run_id
from (
    select run_id
    from (from format_now except from run_format)
    union
    select run_id
    from (from run_format except from format_now)
)
where run_id not in (select run_id from due_run);

delete from run_format where run_id in (select run_id from due_run);
insert into run_format select * from format_now where run_id in (select run_id from due_run);

create or replace temp table print_now as
with only_here as (
    select log_id, bit_xor(hash(byte_offset)) as offsets
    from stream_only
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
select run.run_id, hash(run.case_id, run_format.format, read.logs, stated.params_b) as print
from run
semi join due_run using (run_id)
left join run_format using (run_id)
left join read using (run_id)
left join stated using (run_id);

create or replace temp table due_record as
select run_id
from (from print_now except from kept_run);

delete from kept_run where run_id in (select run_id from due_run);
insert into kept_run select * from print_now;

delete from kept_speed
where run_id in (select run_id from due_run) and run_id not in (select run_id from kept_run)
    or run_id in (select run_id from due_record)
    or rule in (select name from changed_definition where kind = 'rule');

delete from run_memory
where run_id in (select run_id from due_run) and run_id not in (select run_id from kept_run)
    or run_id in (select run_id from due_record);

-- So much at a time as fits into little memory: a run takes as much as 20 records by itself. Runs of more are in chunks
-- numbered below zero, which are read in parts: together up to so many records, since what is asked of a chunk has its
-- price, and what is kept of each until then takes memory.
create or replace temp table due_chunk as
with asked_again as (
    select format
    from (select distinct format from run_format) as known
    join (select rule, formats from rule) as own on own.formats is null or list_contains(own.formats, known.format)
    where own.rule in (select name from changed_definition where kind = 'rule')
),
size as (
    select run_id, 20 + sum(log.records) as weight
    from (
        select run_id from due_record
        union
        select run_id from run_format where format in (select format from asked_again)
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

-- What follows from all that a run prints is made anew with any of it.
create or replace temp table due_convergence as
select run_id from due_chunk
union
select run_id from due_run anti join kept_run using (run_id);

delete from run_clock where run_id in (select run_id from due_convergence);
delete from kept_loss where run_id in (select run_id from due_convergence);
delete from kept_low_loss where run_id in (select run_id from due_convergence);
delete from kept_evaluation where run_id in (select run_id from due_convergence);
