-- One row per loss that a run prints, and the mean of the last few.
-- reads: kept.loss_curve, run
select
    run_key as line, loss_curve.run_id, if(step is null or step_restarts, nth, step)::double as x,
    if(step is null or step_restarts, 'loss', 'step') as x_counts, loss as y, mean_loss, loss_curve.line as log_line
from kept.loss_curve
join run using (run_id)
where is_main
