-- The losses that tell runs, in the order of each run.
-- reads: claimed_record, loss_at
-- makes: loss

create or replace temp view loss as
select
    run_id, losses_before, losses, window_losses, place + ordinal as place, log_id, line, byte_offset, step, epoch,
    logged_at, clock_s, "values"[ordinal] as loss, "values"[time_at] as step_s
from claimed_record
join loss_at using (run_id, shape_id)
where part is not null and loss is not null and coalesce(rank, -1) = lane;
