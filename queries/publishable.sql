-- One row per series with a speed by its default rule: whether the number may be published, and if not, why.
-- $campaign = '*', a glob of kept.run_campaign.campaign
-- $least_trials = 1
-- Example: bench query publishable -p campaign='made*' -p least_trials=3
with judged as (
    select
        *,
        list_filter([
            case when gpu_model is null then 'no log says which GPU' end,
            case when model is null or precision is null or batch_size_per_gpu is null or gpus is null
                then 'model, precision, batch size or number of GPUs is not known' end,
            case when conflicts > 0 then 'contradictions: ' || conflicts || ' (bench query conflicts)' end,
            case when mixed is not null then 'trials differ in ' || mixed end,
            case when trials < $least_trials then 'trials: ' || trials end
        ], lambda x: x is not null) as objections
    from speed_table
    where is_default and value is not null and in_campaign(campaign, $campaign)
)
select
    len(objections) = 0 as publishable,
    campaign, name, gpu_model, value, unit, rule, trials, trials_dropped,
    nullif(array_to_string(objections, '; '), '') as why_not,
    cell
from judged
order by publishable desc, campaign, name, gpu_model, cell;
