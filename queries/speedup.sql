-- One row per series and kind of scaling: its speed over that of the same case on the fewest GPUs.
-- $campaign = '*', a glob of kept.run_campaign.campaign
-- $rule = '', one of kept.rule.rule
-- $scaling = '*', a glob of 'weak', 'strong'
-- Example: bench query speedup -p scaling=weak
select
    campaign, framework, implementation, model, task, precision, batch_size_per_gpu, global_batch_size, nodes, gpus,
    system, gpu_model, scaling, value, unit, base_gpus, base_value, speedup, efficiency, rule, status, series_id,
    base_series_id
from speedup_table
where in_campaign(campaign, $campaign)
    and scaling glob $scaling
    and case when $rule = '' then is_default else rule = $rule end
order by all;
