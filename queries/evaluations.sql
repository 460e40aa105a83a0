-- One row per run, metric and evaluation: the value as logged and as a fraction, with its line and time.
-- $run = '*', a glob of run.run_key
-- $metric = '*', a glob of kept.evaluation.name
-- $campaign = '*', a glob of kept.run_campaign.campaign
-- Example: bench query evaluations -p metric='*acc*'
select
    run.run_key, evaluation.name, evaluation.nth, evaluation.epoch, evaluation.step, evaluation.seconds,
    evaluation.value, evaluation.unit, evaluation.fraction, evaluation.higher_is_better, place.path, evaluation.line
from kept.evaluation
join run using (run_id)
join place_of_log('*') as place on place.log_id = evaluation.log_id
where run.run_key glob $run
    and evaluation.name glob $metric
    and run.run_id in (select run_id from kept.run_campaign where in_campaign(campaign, $campaign))
order by run.run_key, evaluation.name, evaluation.nth;
