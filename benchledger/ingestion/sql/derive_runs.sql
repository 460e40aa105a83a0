-- Each segment of a train log is a run; a twin joins the run of the train log that it repeats, or is one itself.
-- reads: log, live_segment, fellow, twin
-- makes: new_run

create or replace temp table new_run as
select
    -- The type of its column: else each join with a large table casts all of it.
    (md5_number_lower(run_key) // 2)::bigint as run_id, run_key, log_id, segment, started_at, ended_at,
    role, first_line, last_line, steps_done, step_gap, restart_line, rival_lines, last_step_line, first_epoch, last_epoch, epoch_step,
    closing_line, closing_speed, expects_closing, final_loss_nan, event_status, event_line, event_text, last_record_line
from (
    select left(log.content_hash, 12) || '-' || s.first_record_line as run_key, s.*
    from live_segment as s
    join log using (log_id)
    where s.role in ('train', 'duplicate_stream') and s.log_id not in (select log_id from fellow)
        and (s.log_id, s.segment) not in (select (twin_id, twin_segment) from twin)
);
