-- Records in a run's second copy of its log (its twin) that are missing in its train log, for example if that was cut.
-- reads: kept.record, kept.shape, run_log, new_run, log, kept.format
-- makes: loss_at, kept.stream_only

create or replace temp table loss_at as
select
    m.run_id, m.role, r.log_id, r.byte_offset, s.kind, s.name,
    row_number() over (
        partition by m.run_id, if(m.role = 'train', 0, m.log_id), s.kind, s.name order by m.log_id, m.first_line, r.byte_offset
    ) as place
from kept.record as r
join kept.shape as s on s.shape_id = r.shape_id and s.quantity = 'loss'
join run_log as m on m.log_id = r.log_id and r.line between m.first_line and m.last_line
semi join new_run as n on n.run_id = m.run_id
semi join run_log as d on d.run_id = m.run_id and d.role = 'duplicate_stream'
where (m.role = 'train' or m.role = 'duplicate_stream' and r.logged_at is null) and r."values"[s.ordinal] is not null;

insert into kept.stream_only
select r.log_id, r.byte_offset
from kept.record as r
join (select distinct log_id, run_id, first_line, last_line from run_log where role = 'duplicate_stream') as t
    on t.log_id = r.log_id and r.line between t.first_line and t.last_line
semi join new_run as n on n.run_id = t.run_id
join log on log.log_id = r.log_id
-- A log of no known program may call the same values by other names.
semi join kept.format as f on f.format = log.format and f.implementation is not null
-- Without times the one's third loss is the other's third. Of two streams one counts.
anti join (
    select twin.log_id, twin.byte_offset
    from loss_at as twin
    join loss_at as own using (run_id, kind, name, place)
    where twin.role = 'duplicate_stream' and (own.role = 'train' or own.log_id < twin.log_id)
) as repeated on repeated.log_id = r.log_id and repeated.byte_offset = r.byte_offset
anti join (
    select m.run_id, o.logged_at, o.step
    from kept.record as o
    join run_log as m on m.log_id = o.log_id and m.role = 'train' and o.line between m.first_line and m.last_line
    semi join new_run as n on n.run_id = m.run_id
    -- Only runs that have a twin.
    semi join run_log as d on d.run_id = m.run_id and d.role = 'duplicate_stream'
) as o on o.run_id = t.run_id and o.logged_at = r.logged_at and o.step is not distinct from r.step;
