-- One row per series: its speed and last loss, those of the same case in a base campaign, and PaddlePaddle's CI code.
-- $campaign = '*', a glob of kept.run_campaign.campaign
-- $base = '*', a glob of kept.run_campaign.campaign
-- $threshold = 0.05
-- $loss_threshold = 0.3
-- Example: bench query ci-verdict -p campaign='made*'
with last_loss as (
    select run_id, loss
    from kept.loss_curve
    where is_main and nth = losses and isfinite(loss)
),
measured as (
    select
        speed_table.series_id, any_value(speed_table.campaign) as campaign, any_value(case_id) as case_id,
        any_value(name) as name, any_value(gpu_model) as gpu_model, any_value(rule) as rule, any_value(unit) as unit,
        any_value(value) as value, any_value(status) as status, list_median(list_sort(list(loss))) as loss
    from speed_table
    join kept.series_run using (series_id)
    left join last_loss using (run_id)
    where is_default
    group by speed_table.series_id, speed_table.cell
),
compared as (
    select
        now.*, base.campaign as base_campaign, base.value as base_value, base.loss as base_loss,
        rounded((now.value - base.value) / base.value, 'round_even', 4) as change,
        -- A fraction of the absolute base, so that a negative loss that rises counts as worse; NULL for a base of 0.
        (now.loss - base.loss) / nullif(abs(base.loss), 0) as loss_change
    from measured as now
    left join measured as base
        on base.case_id = now.case_id
        and base.gpu_model is not distinct from now.gpu_model
        and base.rule = now.rule
        and base.unit is not distinct from now.unit
        and base.campaign is distinct from now.campaign
        and in_campaign(base.campaign, $base)
        -- A base of 0 is no standard.
        and base.value <> 0
    where in_campaign(now.campaign, $campaign)
)
select
    campaign, base_campaign, name, gpu_model, rule, unit, base_value, value, change, base_loss, loss, loss_change, status,
    -- Bits: 1 the loss rose by the threshold (from 0: at all), 2 the speed differs in either direction, 4 the run
    -- failed.
    if(loss_change >= $loss_threshold or (base_loss = 0 and loss > 0), 1, 0) | if(abs(change) >= $threshold, 2, 0) | if(status <> 'ok', 4, 0) as code,
    abs(change) <= $threshold as is_good
from compared
order by all;
