-- One row per series: its speed over its trials, by its default rule or by the selected rule.
-- $campaign = '*', a glob of kept.run_campaign.campaign
-- $rule = '', one of kept.rule.rule
-- Example: bench query speed -p campaign='made*' -p rule=steps.mean_skip20
select
    campaign, framework, implementation, model, task, precision, batch_size_per_gpu, nodes, gpus, system,
    gpu_model, value, unit, rule, trials, trials_dropped, lowest, highest, stdev, conflicts, status, series_id
from speed_table
where in_campaign(campaign, $campaign)
    and case when $rule = '' then is_default else rule = $rule end
order by all;
