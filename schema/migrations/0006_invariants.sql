-- What must hold in a ledger. No violation is found in a ledger that only this program wrote.

create view kept.invariant as
select
    'every log has as many records as it counts' as what, count(*) as violations, min(log_id::varchar) as example,
    'ingest' as cure
from (
    select log_id
    from main.log
    full join (select log_id, count(*) as there from kept.record group by log_id) using (log_id)
    where log.records is distinct from coalesce(there, 0)
)
union all
select 'every log has as many rejects as it counts', count(*), min(log_id::varchar), 'ingest'
from (
    select log_id
    from main.log
    full join (select log_id, count(*) as there from main.reject group by log_id) using (log_id)
    where log.rejects is distinct from coalesce(there, 0)
)
union all
select 'every log has as many ignored pieces as it counts', count(*), min(log_id::varchar), 'ingest'
from (
    select log_id
    from main.log
    full join (select log_id, sum(pieces) as there from kept.ignored_piece group by log_id) using (log_id)
    where log.ignored is distinct from coalesce(there, 0)
)
union all
select 'every log has as many unread lines as it counts', count(*), min(log_id::varchar), 'ingest'
from (
    select log_id
    from main.log
    full join (select log_id, sum(lines) as there from kept.unread group by log_id) using (log_id)
    where log.unread is distinct from coalesce(there, 0)
)
union all
select 'the pieces of a log are its records, ignored pieces, rejects and unread lines', count(*), min(log_id::varchar), 'ingest'
from main.log
where pieces <> records + ignored + rejects + unread
union all
select 'no record is beyond the last line of its log', count(*), min(log_id::varchar), 'ingest'
from kept.record
join main.log using (log_id)
where record.line > log.lines
union all
select 'every record has the load number of its log', count(*), min(log_id::varchar), 'ingest'
from kept.record
join main.log using (log_id)
where record.load_number <> log.load_number
union all
select 'no two records of a log begin at one byte', count(*), min(log_id::varchar), 'ingest'
from (select log_id from kept.record group by log_id, byte_offset having count(*) > 1)
union all
-- These tables have no primary key: docs/decisions/0020-no-primary-keys.md.
select 'every ' || what || ' is there once', count(*) - count(distinct id), mode(id), 'ingest'
from (
    select 'run' as what, run_id::varchar as id from main.run
    union all
    select 'key of a run', run_key from main.run
    union all
    select 'part of a run', concat_ws(' ', run_id, log_id, segment) from main.run_log
    union all
    select 'segment of a log', concat_ws(' ', log_id, segment) from kept.segment
    union all
    select 'sighting', sighting_id::varchar from main.sighting
    union all
    select 'reason to ignore pieces of a log', concat_ws(' ', log_id, reason) from kept.ignored_piece
)
group by what
union all
select 'every record has a layout with a name for each value', count(*), min(log_id::varchar), 'ingest'
from kept.record
left join (select shape_id, count(*) as names from kept.shape group by shape_id) as layout using (shape_id)
where layout.names is null or layout.names <> greatest(len(record."values"), coalesce(len(record.texts), 0))
union all
select 'every ' || owner || ' refers to an existing log', count(*) filter (where log_id not in (select log_id from main.log)),
    min(log_id::varchar) filter (where log_id not in (select log_id from main.log)), 'ingest'
from (
    select 'segment' as owner, log_id from kept.segment
    union all
    select 'fact of a log', log_id from kept.log_fact
    union all
    select 'log of a run', log_id from main.run_log
    union all
    select 'line that decides a status', status_log_id from main.run where status_log_id is not null
    union all
    select 'fact of a run', log_id from main.fact where log_id is not null
    union all
    -- Of what was empty nothing is kept.
    select 'sighting', log_id from main.sighting where log_id is not null and status <> 'empty'
)
group by owner
union all
select 'every ' || owner || ' refers to an existing sighting',
    count(*) filter (where sighting_id not in (select sighting_id from main.sighting)),
    min(sighting_id::varchar) filter (where sighting_id not in (select sighting_id from main.sighting)), 'ingest'
from (
    select 'fact of a sighting' as owner, sighting_id from kept.sighting_fact
    union all
    select 'file in a manifest' as owner, sighting_id from kept.sighting_file
    union all
    select 'sighting of a run''s log', sighting_id from main.run_log where sighting_id is not null
)
group by owner
union all
select 'every ' || owner || ' refers to an existing run', count(*) filter (where run_id not in (select run_id from main.run)),
    min(run_id::varchar) filter (where run_id not in (select run_id from main.run)), 'ingest'
from (
    select 'log of a run' as owner, run_id from main.run_log
    union all
    select 'fact of a run', run_id from main.fact
)
group by owner
union all
select 'every run has a case, an environment and a log', count(*), min(run_key), 'ingest'
from main.run
where case_id not in (select case_id from main.bench_case)
    or environment_id not in (select environment_id from main.environment)
    or run_id not in (select run_id from main.run_log)
union all
select 'no run has two used facts of one name', count(*), min(run_id::varchar), 'ingest'
from (select run_id from main.fact where used group by run_id, name having count(*) > 1)
union all
select 'every kept number is finite', count(*), min(place), 'ingest'
from (
    select 'kept.cell ' || cell as place, unnest([value, lowest, highest, stdev]) as number from kept.cell
    union all
    select 'kept.speed of run ' || run_id, value from kept.speed
    union all
    select 'kept.speedup ' || cell, unnest([base_value, speedup, efficiency]) from kept.speedup
    union all
    select 'run_memory of run ' || run_id, value_mib from main.run_memory
)
where not isfinite(number)
union all
select 'every time of a ' || owner || ' is in the years 1 to 9999', count(*) filter (where odd),
    min(place) filter (where odd), if(owner = 'log', 'ingest', 'restore')
from (
    select owner, place, time not between timestamp '0001-01-01' and timestamp '9999-12-31 23:59:59.999999' as odd
    from (
        select 'log' as owner, unnest(['run.started_at', 'run.ended_at']) as place, unnest([started_at, ended_at]) as time
        from main.run
        union all
        select 'log', unnest(['sighting.modified_at', 'sighting.ingested_at']), unnest([modified_at, ingested_at])
        from main.sighting
        union all
        select 'log', unnest(['kept.segment.started_at', 'kept.segment.ended_at']), unnest([started_at, ended_at])
        from kept.segment
        union all
        select 'log', 'kept.record.logged_at', logged_at from kept.record
        union all
        select 'log', 'kept.run_clock.started_at', started_at from kept.run_clock
        union all
        select 'log', 'kept.series_member.started_at', started_at from kept.series_member
        union all
        select 'decision', 'kept.exclusion.excluded_at', excluded_at from kept.exclusion
        union all
        select 'decision', 'kept.accepted_change.accepted_at', accepted_at from kept.accepted_change
        union all
        select 'migration', 'kept.schema_version.applied_at', applied_at from kept.schema_version
    )
)
group by owner
union all
select 'every exclusion has a reason', count(*), min(run_key), 'exclude'
from kept.exclusion
where trim(reason) = '';
comment on view kept.invariant is
    'One row per thing that must hold in a ledger (bench db check, and check inconsistent of bench audit).';
comment on column kept.invariant.what is 'What must hold.';
comment on column kept.invariant.violations is 'How many rows violate it.';
comment on column kept.invariant.example is 'Id or place of one of them; NULL if there is none.';
comment on column kept.invariant.cure is
    'ingest: read the logs again; exclude: give a reason; restore: restore the file from a backup.';
