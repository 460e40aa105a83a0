-- One row per series whose runs differ in more than the case states: in what, and how far their values lie apart.
-- $campaign = '*', a glob of kept.run_campaign.campaign
-- Example: bench query mixed
select
    campaign, name, gpu_model, framework, implementation, rule, status, trials, lowest, highest,
    round(100 * (highest / nullif(lowest, 0) - 1), 1) as spread_percent, unit, mixed
from speed_table
where is_default and mixed is not null and in_campaign(coalesce(campaign, ''), $campaign)
order by spread_percent desc nulls last, campaign, name, gpu_model, framework, implementation, rule, cell;
