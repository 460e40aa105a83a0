-- One row per series and rule with a number: that of its default rule, and its rank among equal work by both rules.
-- $campaign = '*', a glob of kept.run_campaign.campaign
-- $model = '*'
-- $rule = '*', a glob of kept.rule.rule
-- $changed = false
-- Example: bench query rules-side-by-side -p changed=true
with speed as materialized (
    select *, if(unit in ('s', 'min'), value, -value) as slowness
    from speed_table
    where value is not null
),
-- A series with several defaults or units is compared by one, the first by name.
by_default as (
    select series_id, rule as default_rule, value as default_value, unit as default_unit, slowness as default_slowness
    from speed
    where is_default
    qualify row_number() over (partition by series_id order by unit, rule) = 1
),
-- Series are compared on equal GPUs. Without a stated GPU model, only series of the same campaign are compared.
paired as (
    select
        speed.*, by_default.* exclude (series_id),
        {
            'model': model, 'task': task, 'precision': precision, 'nodes': nodes, 'gpus': gpus, 'seq_len': seq_len,
            'gpu_model': gpu_model, 'gpu_memory_mib': gpu_memory_mib, 'campaign': if(gpu_model is null, campaign, null),
            'rule': rule, 'unit': unit, 'default_unit': default_unit,
            -- Seconds per step are comparable only at equal batch sizes.
            'global_batch_size': if(unit = 's', global_batch_size, null)
        } as race
    from speed
    join by_default using (series_id)
    where model is not null and precision is not null and gpus is not null
),
ranked as (
    select
        *,
        count(*) over (partition by race) as compared,
        rank() over (partition by race order by slowness) as rule_rank,
        rank() over (partition by race order by default_slowness) as default_rank
    from paired
),
ranking as (
    select *, bool_or(rule_rank <> default_rank) over (partition by race) as ranking_changes
    from ranked
)
select
    model, precision, nodes, gpus, gpu_model, campaign, framework, implementation, batch_size_per_gpu, options, rule,
    value, unit, default_rule, default_value, default_unit,
    if(unit = default_unit, value / default_value, null) as ratio,
    compared, rule_rank, default_rank, ranking_changes, cell
from ranking
where (campaign is null or in_campaign(campaign, $campaign))
    and model glob $model
    and rule glob $rule
    and (ranking_changes or not $changed)
order by all;
