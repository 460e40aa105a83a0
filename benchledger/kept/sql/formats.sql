-- The format of each run in due_run.
-- reads: kept.run_source, log, due_run
-- makes: format_now

-- A run whose logs have several formats takes that of the smallest log id, so that loading order does not matter.
create or replace temp table format_now as
select run_source.run_id, arg_min(log.format, log.log_id) as format
from kept.run_source
join log using (log_id)
semi join due_run using (run_id)
group by run_source.run_id;
