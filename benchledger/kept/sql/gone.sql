-- Deletes the kept numbers of the runs in due_run, except those of records that are not read again.
-- reads: format_now, kept.rule, due_run, due_record, run_hash_now, changed_definition
-- makes: due_for_rule, gone_record, kept.run_format, kept.run_hash, kept.silent_run, kept.run_fallback, conflict, kept.contradicted_speed, kept.speed, run_memory, kept.run_clock, kept.loss,
--   kept.low_loss, kept.evaluation_all

-- These runs are read for rules that have changed.
insert into due_for_rule
select run_id
from format_now
semi join due_run using (run_id)
anti join due_record using (run_id)
where format in (
    select known.format
    from (select distinct format from format_now) as known
    join kept.rule on rule.formats is null or list_contains(rule.formats, known.format)
    where rule.rule in (select name from changed_definition where kind = 'rule')
);

delete from kept.run_format where run_id in (select run_id from due_run);
delete from kept.run_hash where run_id in (select run_id from due_run);
delete from kept.contradicted_speed where run_id in (select run_id from due_run);
delete from kept.silent_run where run_id in (select run_id from due_run);
delete from kept.run_fallback where run_id in (select run_id from due_run);
delete from conflict where run_id in (select run_id from due_run);

create or replace temp table gone_record as
select run_id from due_record
union
select run_id from due_run anti join run_hash_now using (run_id);

delete from kept.speed
where run_id in (select run_id from gone_record)
    or rule in (select name from changed_definition where kind = 'rule');

-- Numbers that use all records of a run are computed again if any record changes.
insert into gone_record from due_for_rule;

delete from run_memory where run_id in (select run_id from gone_record);
delete from kept.run_clock where run_id in (select run_id from gone_record);
delete from kept.loss where run_id in (select run_id from gone_record);
delete from kept.low_loss where run_id in (select run_id from gone_record);
delete from kept.evaluation_all where run_id in (select run_id from gone_record);
