-- One row per series and rule with a speed or out of memory: a line joins the batch sizes of one case.
-- reads: kept.rule, speed_table
with listed as (
    select
        speed_table.* replace (if(rules.per is null, unit, unit || ' per ' || rules.per) as unit),
        hash(
            campaign, framework, implementation, precision, nodes, gpus, seq_len, options, system, gpu_model,
            framework_version, implementation_version, variant, rule, unit
        ) as own
    from speed_table
    join (select rule, per from kept.rule) as rules using (rule)
    where batch_size_per_gpu is not null
        and (value is not null or speed_table.status = 'oom' or (speed_table.status = 'mixed' and lowest is not null))
),
-- A run out of memory often states no GPU model, version or unit: it is on the only line that it can be on.
placed as (
    select
        *,
        min(own) filter (status <> 'oom') over kin as least_own, max(own) filter (status <> 'oom') over kin as most_own,
        min(unit) over kin as kin_unit, min(gpu_model) over kin as kin_gpu_model
    from listed
    window kin as (
        partition by
            campaign, framework, implementation, model, task, precision, nodes, gpus, seq_len, options, system, rule
    )
)
select
    if(status = 'oom' and least_own = most_own, least_own, own)::varchar as line, batch_size_per_gpu::double as x,
    value as y, lowest, highest,
    placed.* exclude (lowest, highest, own, least_own, most_own, kin_unit, kin_gpu_model, trial_runs) replace (
        if(status = 'oom' and least_own = most_own, kin_unit, unit) as unit,
        if(status = 'oom' and least_own = most_own, kin_gpu_model, gpu_model) as gpu_model
    ),
    trial_runs as runs
from placed
