-- One row per pair of series, and per series without a partner, from $trials: JSON of trials with their side, A or B.
-- Two series are partners if they have the same case, GPU model and rule (apart from the columns
-- in $across), and are the only ones of their side that
-- have: else the only ones with the same system, versions or campaign too.
with trial as (
    -- As JSON, because DuckDB reads no frame of polars where numpy is not imported.
    select unnest(from_json($trials::json, '[{
        "side": "varchar", "quantity": "varchar", "rule": "varchar", "unit": "varchar", "value": "double",
        "side_value": "double", "status": "varchar", "cell": "varchar", "run_id": "bigint", "run_key": "varchar",
        "series_id": "bigint", "case_id": "bigint", "name": "varchar", "framework": "varchar",
        "implementation": "varchar", "model": "varchar", "task": "varchar", "precision": "varchar",
        "batch_size_per_gpu": "bigint", "global_batch_size": "bigint", "nodes": "bigint", "gpus": "bigint",
        "seq_len": "bigint", "gradient_accumulation": "bigint", "options": "varchar", "gpu_model": "varchar",
        "gpu_memory_mib": "bigint", "variant": "varchar", "system": "varchar", "framework_version": "varchar",
        "implementation_version": "varchar", "campaign": "varchar"
    }]'), recursive := true)
),
series as (
    select
        side, quantity, rule, unit, series_id, case_id, name, framework, implementation, model, task, precision,
        batch_size_per_gpu, global_batch_size, nodes, gpus, seq_len, gradient_accumulation, options, gpu_model,
        gpu_memory_mib, variant, system, framework_version, implementation_version, campaign,
        any_value(side_value) as side_value, any_value(cell) as cell, min(status) as status,
        list(value) filter (where value > 0) as trials, list(run_id) filter (where value > 0) as run_ids,
        list(run_key) filter (where value > 0) as run_keys,
        list_has_any($across, ['batch_size_per_gpu', 'gpus', 'nodes', 'gradient_accumulation', 'global_batch_size'])
            as across_size,
        {
            'quantity': quantity,
            'framework': if(list_contains($across, 'framework'), null, framework),
            'implementation': if(list_contains($across, 'implementation'), null, implementation),
            'model': if(list_contains($across, 'model'), null, model),
            'task': if(list_contains($across, 'task'), null, task),
            'precision': if(list_contains($across, 'precision'), null, precision),
            'batch_size_per_gpu': if(list_contains($across, 'batch_size_per_gpu'), null, batch_size_per_gpu),
            'global_batch_size': if(across_size, null, global_batch_size),
            'nodes': if(list_contains($across, 'nodes'), null, nodes),
            'gpus': if(list_contains($across, 'gpus'), null, gpus),
            'seq_len': if(list_contains($across, 'seq_len'), null, seq_len),
            'gradient_accumulation': if(list_contains($across, 'gradient_accumulation'), null, gradient_accumulation),
            'options': if(list_contains($across, 'options'), null, options::varchar),
            'gpu_model': if(list_contains($across, 'gpu_model'), null, gpu_model),
            'gpu_memory_mib': if(list_contains($across, 'gpu_model'), null, gpu_memory_mib),
            'variant': if(list_contains($across, 'variant'), null, variant)
        } as what,
        {
            'what': what,
            'unit': unit,
            'rule': if(list_contains($across, 'rule') and quantity = 'speed', null, rule)
        } as number
    from trial
    group by all
),
measured as (
    select *
    from series
    where trials is not null
),
-- Why a side has no number of a case: how its runs ended.
failed as (
    select side, what, min(status) as status
    from series
    where trials is null
    group by all
),
level(depth, by_system, by_framework, by_implementation, by_campaign) as (
    values (1, true, true, true, true), (2, true, true, true, false), (3, true, true, false, false),
        (4, true, false, true, false), (5, true, false, false, false), (6, false, false, false, false)
),
keyed as (
    select
        level.depth, measured.side, measured.series_id, measured.number, rule,
        {
            'system': if(by_system, system, null),
            'framework_version': if(by_framework, framework_version, null),
            'implementation_version': if(by_implementation, implementation_version, null),
            'campaign': if(by_campaign, campaign, null)
        } as where_run,
        count(*) over (partition by level.depth, measured.side, measured.number, where_run) as alike
    from measured
    cross join level
),
partner as (
    select a.number, a.series_id as a_series, a.rule as a_rule, b.series_id as b_series, b.rule as b_rule
    from keyed as a
    join keyed as b using (depth, number, where_run)
    where a.side = 'A' and b.side = 'B' and a.alike = 1 and b.alike = 1
    qualify row_number() over (partition by a.number, a_series, a_rule order by a.depth) = 1
),
paired as (
    select a, b, null as others
    from partner
    join measured as a on a.side = 'A' and a.number = partner.number and a.series_id = a_series
        and a.rule is not distinct from a_rule
    join measured as b on b.side = 'B' and b.number = partner.number and b.series_id = b_series
        and b.rule is not distinct from b_rule
),
alone as (
    select
        if(side = 'A', measured, null) as a, if(side = 'B', measured, null) as b,
        (
            select count(*)
            from measured as other
            where other.number = measured.number and other.side <> measured.side
        ) as others
    from measured
    where not exists (
        select 1
        from partner
        where partner.number = measured.number
            and if(side = 'A', a_series, b_series) = measured.series_id
            and if(side = 'A', a_rule, b_rule) is not distinct from measured.rule
    )
),
-- Losses of 0 or less have no ratio.
without_ratio as (
    select a, b, null as others
    from series as a
    join series as b on b.side = 'B' and b.number = a.number
    where a.side = 'A' and a.quantity = 'final_loss' and a.trials is null and b.trials is null
),
listed as (
    from paired
    union all by name
    from alone
    union all by name
    from without_ratio
)
select
    coalesce(a.quantity, b.quantity) as quantity,
    coalesce(a.name, b.name) as name,
    coalesce(a.framework, b.framework) as framework,
    coalesce(a.implementation, b.implementation) as implementation,
    coalesce(a.model, b.model) as model,
    coalesce(a.options, b.options) as options,
    coalesce(a.variant, b.variant) as variant,
    coalesce(a.unit, b.unit) as unit,
    a.case_id as a_case_id, b.case_id as b_case_id,
    a.rule as a_rule, b.rule as b_rule,
    a.gpu_model as a_gpu_model, b.gpu_model as b_gpu_model,
    a.system as a_system, b.system as b_system,
    a.framework_version as a_framework_version, b.framework_version as b_framework_version,
    a.implementation_version as a_implementation_version, b.implementation_version as b_implementation_version,
    a.campaign as a_campaign, b.campaign as b_campaign,
    a.series_id as a_series_id, b.series_id as b_series_id,
    a.cell as a_cell, b.cell as b_cell,
    a.side_value as a_value, b.side_value as b_value,
    nullif(array_to_string(list_filter([
        if(a.rule is distinct from b.rule, 'rule', null),
        if(a.framework is distinct from b.framework, 'framework', null),
        if(a.implementation is distinct from b.implementation, 'implementation', null),
        if(a.model is distinct from b.model, 'model', null),
        if(a.task is distinct from b.task, 'task', null),
        if(a.precision is distinct from b.precision, 'precision', null),
        if(a.batch_size_per_gpu is distinct from b.batch_size_per_gpu, 'batch_size_per_gpu', null),
        if(a.global_batch_size is distinct from b.global_batch_size, 'global_batch_size', null),
        if(a.nodes is distinct from b.nodes, 'nodes', null),
        if(a.gpus is distinct from b.gpus, 'gpus', null),
        if(a.seq_len is distinct from b.seq_len, 'seq_len', null),
        if(a.gradient_accumulation is distinct from b.gradient_accumulation, 'gradient_accumulation', null),
        if(a.options is distinct from b.options, 'options', null),
        if(a.gpu_model is distinct from b.gpu_model, 'gpu_model', null),
        if(a.variant is distinct from b.variant, 'variant', null),
        if(a.system is distinct from b.system, 'system', null),
        if(a.framework_version is distinct from b.framework_version, 'framework_version', null),
        if(a.implementation_version is distinct from b.implementation_version, 'implementation_version', null)
    ], lambda name: name is not null and a is not null and b is not null), ', '), '') as differs,
    coalesce(a.trials, []) as a_trials, coalesce(b.trials, []) as b_trials,
    coalesce(a.run_ids, []) as a_run_ids, coalesce(b.run_ids, []) as b_run_ids,
    coalesce(a.run_keys, []) as a_run_keys, coalesce(b.run_keys, []) as b_run_keys,
    case
        when a is not null and b is not null then if(a.trials is null, 'no_number', null)
        when others > 0 then 'ambiguous'
        when coalesce(a_failed.status, b_failed.status) is not null then 'no_number'
        when a is null then 'only_b'
        else 'only_a'
    end as unpaired,
    a_failed.status as a_status, b_failed.status as b_status
from listed
left join failed as a_failed on a is null and a_failed.side = 'A' and a_failed.what = b.what
left join failed as b_failed on b is null and b_failed.side = 'B' and b_failed.what = a.what
order by
    case coalesce(a.quantity, b.quantity) when 'speed' then 1 when 'time_to_target' then 2 when 'memory' then 3 else 4 end,
    name, framework, implementation, a_rule, b_rule, a_gpu_model, b_gpu_model, a_campaign, b_campaign,
    a_series_id, b_series_id;
