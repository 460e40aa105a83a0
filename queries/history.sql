-- One row per series, by time within its case: its speed and the mean of five earlier ones, as in PaddlePaddle's mail.
-- $campaign = '*', a glob of kept.run_campaign.campaign
-- $model = '*'
-- $rule = '', one of kept.rule.rule
-- $threshold = 0.05
-- Example: bench query history -p model='bert*'
with began as (
    select series_id, min(started_at) as started_at
    from kept.series_run
    join run using (run_id)
    group by series_id
),
-- Failed results and zeros are dropped: PaddlePaddle's script flags only these as outliers.
result as (
    select speed_table.*, began.started_at
    from speed_table
    join began using (series_id)
    where value <> 0 and case when $rule = '' then is_default else rule = $rule end
),
placed as (
    select
        *,
        count(*) over five as earlier,
        -- The newest of the earlier results is not part of the mean.
        rounded(avg(value) over five, 'round_even', 4) as mean
    from result
    window five as (
        partition by case_id, system, gpu_model, gpu_memory_mib, rule, unit
        order by started_at nulls last, campaign, series_id
        rows between 6 preceding and 2 preceding
    )
),
ranged as (
    select
        *,
        if(mean <> 0, rounded((value - mean) / mean, 'round_even', 4) * if(unit in ('s', 'min'), -1, 1), null) as range
    from placed
)
select
    model, name, gpu_model, gpu_memory_mib, rule, unit, started_at, campaign, value, earlier, mean, range,
    case
        when range >= $threshold then 'better'
        when range <= -$threshold then 'worse'
        when range is not null then 'as before'
    end as verdict
from ranged
where in_campaign(campaign, $campaign) and coalesce(model, '') glob $model
order by all;
