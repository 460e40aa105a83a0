-- One row per run that prints a loss or a metric: first and final loss, best metric, and divergence.
-- $campaign = '*', a glob of kept.run_campaign.campaign
-- $run = '*', a glob of run.run_key
-- Example: bench query convergence
select
    told.run_key, bench_case.name as case_name, told.status, told.loss_name, told.losses, told.window_losses, told.first_loss,
    told.final_loss, told.lowest_loss, told.last_step, told.samples, told.seconds, told.diverged_by, told.metric,
    told.evaluations, told.best_value, told.metric_unit, told.best_step, told.best_seconds, told.outcome
from run_convergence as told
join bench_case using (case_id)
where told.run_key glob $run
    and told.run_id in (select run_id from kept.run_campaign where in_campaign(campaign, $campaign))
order by told.run_key, told.metric;
