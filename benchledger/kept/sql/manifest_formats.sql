-- The format of each run, where there are manifests. A run of which only a manifest is known takes the format of its
-- implementation, so that it is missing from the table in which it would stand.
-- reads: kept.run_source, log, run, bench_case, kept.format, kept.run_format, due_run
-- makes: format_now, due_run

create or replace temp table format_now as
with own as (
    -- As in formats.sql.
    select run_source.run_id, arg_min(log.format, log.log_id) as format, bool_and(role = 'manifest') as logless
    from kept.run_source
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
    join kept.format on format.format = own.format
    where format.default_rule is not null
    group by logless.run_id
    having count(distinct format.default_rule) = 1
),
alike as (
    select logless.run_id, min(format.format) as format
    from logless
    join kept.format
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
    from (from format_now except from kept.run_format)
    union
    select run_id
    from (from kept.run_format except from format_now)
)
where run_id not in (select run_id from due_run);
