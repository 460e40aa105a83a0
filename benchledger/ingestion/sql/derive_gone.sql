-- Deletes the runs in old_run and their derived rows, since they are derived again; old_claim keeps their keys.
-- reads: old_run, run_log, run
-- makes: old_claim, fact, run_log, run

create or replace temp table old_claim as
select run.run_key, run_log.log_id, run_log.segment
from run_log
join run using (run_id)
join old_run using (run_id)
where run_log.role in ('train', 'duplicate_stream', 'copy', 'rank', 'manifest');

delete from fact where run_id in (select run_id from old_run);
delete from run_log where run_id in (select run_id from old_run);
delete from run where run_id in (select run_id from old_run);
