-- A row of the ledger that leads nowhere: a run without a case, a record without a shape, a line beyond its log, ...
-- severity: error
select run_id, null as log_id, null as line, 'a run without a case' as about
from run anti join bench_case using (case_id)
union all
select run_id, null, null, 'a run without an environment' from run anti join environment using (environment_id)
union all
select run_id, null, null, 'a run without a log or manifest' from run anti join kept.run_source using (run_id)
union all
select run_id, log_id, null, 'a log of a run that does not stand in log' from run_log anti join log using (log_id)
union all
select run_id, log_id, first_line, 'a log of a run that does not stand in run' from run_log anti join run using (run_id)
union all
select null, log_id, min(line), format('{} records without a shape', count(*))
from kept.record anti join (select distinct shape_id from kept.shape) as shape using (shape_id)
group by log_id
union all
select null, log_id, min(line), format('{} records of a log that does not stand in log', count(*))
from kept.record anti join log using (log_id)
group by log_id
union all
select null, log_id, max(record.line), format('records beyond its {} lines', any_value(log.lines))
from kept.record join log using (log_id)
where record.line > log.lines
group by log_id
union all
select null, log_id, null, format('{} pieces, but {} records, {} ignored, {} rejects and {} unread', pieces, records, ignored,
    rejects, unread)
from log
where pieces <> records + ignored + rejects + unread
union all
select null, log_id, null, format('{} records by its own count, {} stored', log.records, stored.records)
from log
join (select log_id, count(*) as records from kept.record group by log_id) as stored using (log_id)
where log.records <> stored.records
union all
select null, log_id, null, format('{} rejects by its own count, {} stored', log.rejects, coalesce(stored.rejects, 0))
from log
left join (select log_id, count(*) as rejects from reject group by log_id) as stored using (log_id)
where log.rejects <> coalesce(stored.rejects, 0)
union all
select null, log_id, null, format('{} ignored by its own count, {} stored', log.ignored, coalesce(stored.ignored, 0))
from log
left join (select log_id, sum(pieces)::bigint as ignored from kept.ignored_piece group by log_id) as stored using (log_id)
where log.ignored <> coalesce(stored.ignored, 0)
union all
select null, log_id, null, format('{} unread by its own count, {} stored', log.unread, coalesce(stored.unread, 0))
from log
left join (select log_id, sum(lines)::bigint as unread from kept.unread group by log_id) as stored using (log_id)
where log.unread <> coalesce(stored.unread, 0)
union all
select run_id, null, null, 'a fact of a run that does not stand in run' from fact anti join run using (run_id);
