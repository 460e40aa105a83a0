-- One row per run of a series: its own speed by the default or selected rule, beside that of the series.
-- $campaign = '*', a glob of kept.run_campaign.campaign
-- $rule = '', one of kept.rule.rule
-- Example: bench query trials -p campaign='made*'
select
    campaign, name, system, gpu_model, trial, run_key, value, unit, records_used, records_skipped, status, reason,
    series_value, rule, series_id
from kept.trial_table
where in_campaign(campaign, $campaign)
    and case when $rule = '' then is_default else rule = $rule end
order by all;
