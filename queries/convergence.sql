-- One row per run that prints a loss or a metric: first and final loss, best metric, and divergence.
-- $campaign = '*', a glob of kept.run_campaign.campaign
-- $run = '*', a glob of run.run_key
-- Example: bench query convergence
select
    run.run_key, bench_case.name as case_name, run.status, run.loss_name, run.losses, run.window_losses, run.first_loss,
    run.final_loss, run.lowest_loss, run.last_step, run.samples, run.seconds, run.diverged_by, run.metric,
    run.evaluations, run.best_value, run.metric_unit, run.best_step, run.best_seconds, run.outcome
from run_convergence as run
join bench_case using (case_id)
where run.run_key glob $run
    and run.run_id in (select run_id from kept.run_campaign where in_campaign(campaign, $campaign))
order by run.run_key, run.metric;
