-- One row per training loss of a run, by its main loss, with the mean of the last few values.
-- $run = '*', a glob of run.run_key
-- $campaign = '*', a glob of kept.run_campaign.campaign
-- Example: bench query loss-curve -p run='00809cc7*'
select
    run.run_key, loss_curve.name, loss_curve.nth, loss_curve.epoch, loss_curve.step, loss_curve.samples,
    loss_curve.seconds, loss_curve.seconds_from, loss_curve.loss, loss_curve.mean_loss, place.path, loss_curve.line
from kept.loss_curve
join run using (run_id)
join place_of_log('*') as place on place.log_id = loss_curve.log_id
where loss_curve.is_main
    and run.run_key glob $run
    and run.run_id in (select run_id from kept.run_campaign where in_campaign(campaign, $campaign))
order by run.run_key, loss_curve.nth;
