-- Reads the segments of the logs in temp table scope, to derive their runs.
-- reads: scope, kept.segment, active_sighting
-- makes: kept.stream_only, live_segment, copy_of, twin, fellow, covering, tracker_of

delete from kept.stream_only where log_id in (select log_id from scope);

create or replace temp table live_segment as
select s.*
from kept.segment as s
join (select distinct log_id from scope) using (log_id)
semi join active_sighting as a on a.log_id = s.log_id;

-- Filled by derive_copies.sql, derive_ranks.sql, derive_pairs.sql, derive_covering.sql and derive_trackers.sql, if
-- there is anything to pair. `role`: the role of the log in the run of the whole log, copy or rank.

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
