-- Deletes the rows derived from the logs in temp table scope, and reads their segments to derive them again.
-- reads: run_log, scope, run, kept.segment, active_sighting
-- makes: old_run, old_claim, fact, run_log, run, kept.stream_only, live_segment, copy_of, twin, fellow, covering,
--   tracker_of

create or replace temp table old_run as
select distinct run_id from run_log join scope using (log_id) where role <> 'sidecar';

create or replace temp table old_claim as
select run.run_key, run_log.log_id, run_log.segment
from run_log
join run using (run_id)
join old_run using (run_id)
where run_log.role in ('train', 'duplicate_stream', 'copy', 'rank', 'manifest');

delete from fact where run_id in (select run_id from old_run);
delete from run_log where run_id in (select run_id from old_run);
delete from run where run_id in (select run_id from old_run);
delete from kept.stream_only where log_id in (select log_id from scope);

create or replace temp table live_segment as
select s.*
from kept.segment as s
join (select distinct log_id from scope) using (log_id)
semi join active_sighting as a on a.log_id = s.log_id;

-- What derive_copies.sql, derive_ranks.sql, derive_pairs.sql, derive_covering.sql and derive_trackers.sql fill, where
-- there is anything to pair. `role`: what the log is to the run of the whole one, copy or rank.

create or replace temp table copy_of (
    log_id bigint, segment integer, first_line bigint, last_line bigint, whole_id bigint, whole_segment integer,
    role varchar, paired_by varchar
);
create or replace temp table twin (
    twin_id bigint, twin_segment integer, log_id bigint, segment integer, paired_by varchar
);
create or replace temp table fellow (log_id bigint, main bigint, first_line bigint, last_line bigint);
create or replace temp table covering (listing bigint, manifest_id bigint, run_id bigint);
create or replace temp table tracker_of (log_id bigint, segment integer, run_id bigint, paired_by varchar);
