-- What was kept of the runs in due_run goes, but for what their records said where these are not read again.
-- reads: due_run, due_record, print_now, changed_definition, asked_again
-- makes: gone_record, run_format, kept_run, silent_run, run_fallback, conflict, contradicted_speed, kept_speed, run_memory, run_clock, kept_loss,
--   kept_low_loss, kept_evaluation

delete from run_format where run_id in (select run_id from due_run);
delete from kept_run where run_id in (select run_id from due_run);
delete from contradicted_speed where run_id in (select run_id from due_run);
delete from silent_run where run_id in (select run_id from due_run);
delete from run_fallback where run_id in (select run_id from due_run);
delete from conflict where run_id in (select run_id from due_run);

create or replace temp table gone_record as
select run_id from due_record
union
select run_id from due_run anti join print_now using (run_id);

delete from kept_speed
where run_id in (select run_id from gone_record)
    or rule in (select name from changed_definition where kind = 'rule');

-- What follows from all that a run prints is made anew with any of it.
insert into gone_record from asked_again;

delete from run_memory where run_id in (select run_id from gone_record);
delete from run_clock where run_id in (select run_id from gone_record);
delete from kept_loss where run_id in (select run_id from gone_record);
delete from kept_low_loss where run_id in (select run_id from gone_record);
delete from kept_evaluation where run_id in (select run_id from gone_record);
