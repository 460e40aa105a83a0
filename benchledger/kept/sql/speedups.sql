-- The speed-ups of the campaigns in due_pair: a base is of the same campaign. Kept are those of each speed of which view
-- speedup_table cannot tell from the speed alone what it is compared with.
-- reads: series, due_pair, bench_case, kept.cell, kept.rule
-- makes: kept.speedup

delete from kept.speedup
where series_id in (
    select series_id
    from series
    semi join due_pair on due_pair.campaign is not distinct from series.campaign
);

insert into kept.speedup
with relative as (
    -- A family is what may be compared: weak scaling fixes the batch size of a GPU, strong scaling the global one.
    select
        series_id,
        batch_size_per_gpu,
        global_batch_size,
        gpus,
        gradient_accumulation,
        dense_rank() over (order by
            series.campaign, framework, implementation, model, task, precision, seq_len, options, system,
            gpu_model, gpu_memory_mib, framework_version, implementation_version, variant, batch_size_per_gpu
        ) as weak_family,
        dense_rank() over (order by
            series.campaign, framework, implementation, model, task, precision, seq_len, options, system,
            gpu_model, gpu_memory_mib, framework_version, implementation_version, variant, global_batch_size
        ) as strong_family
    from series
    semi join due_pair on due_pair.campaign is not distinct from series.campaign
    join bench_case using (case_id)
),
-- A series without a relative is compared with itself only.
family as (
    select *
    from relative
    where weak_family in (select weak_family from relative group by weak_family having count(*) > 1)
        or strong_family in (select strong_family from relative group by strong_family having count(*) > 1)
),
cell as (
    select
        family.*,
        cell.rule,
        cell.unit,
        cell.value,
        cell.cell,
        -- Of all GPUs, also where its owner publishes the speed of one.
        value * case when per = 'gpu' then gpus else 1 end as global_value,
        row_number() over () as cell_id
    from kept.cell
    join family using (series_id)
    join (select rule, per from kept.rule) as per_rule using (rule)
),
-- A base with the same batch size per GPU is weak scaling, and stands there: of one batch size nothing else is told.
swept as (
    select strong_family, rule, unit
    from cell
    where global_batch_size is not null
    group by strong_family, rule, unit
    having min(batch_size_per_gpu) <> max(batch_size_per_gpu)
),
placed as (
    select
        cell_id, rule, unit, 'weak' as scaling, weak_family as family,
        batch_size_per_gpu, global_batch_size, gpus, gradient_accumulation, value
    from cell
    union all
    select
        cell_id, rule, unit, 'strong', strong_family,
        batch_size_per_gpu, global_batch_size, gpus, gradient_accumulation, value
    from cell
    semi join swept
        on swept.strong_family = cell.strong_family
        and swept.rule = cell.rule
        and swept.unit is not distinct from cell.unit
    where global_batch_size is not null
),
fewest as (
    select scaling, family, rule, unit, min(gpus) as gpus
    from placed
    where value is not null
    group by scaling, family, rule, unit
),
base as (
    select placed.*
    from placed
    semi join fewest
        on fewest.scaling = placed.scaling
        and fewest.family = placed.family
        and fewest.rule = placed.rule
        and fewest.unit is not distinct from placed.unit
        and fewest.gpus = placed.gpus
    where value is not null
),
paired as (
    select
        placed.cell_id,
        placed.scaling,
        base.cell_id as base_id,
        placed.batch_size_per_gpu is distinct from base.batch_size_per_gpu as other_batch,
        -- Quotients, not logarithms: equal ratios are equal to the last bit. NULL to NULL is the same, to a number far.
        rank() over (
            partition by placed.cell_id, placed.scaling
            order by
                placed.cell_id <> base.cell_id,
                case
                    when placed.global_batch_size is not distinct from base.global_batch_size then 1
                    else greatest(placed.global_batch_size, base.global_batch_size)
                        / case when placed.global_batch_size + base.global_batch_size is not null
                            then least(placed.global_batch_size, base.global_batch_size) end
                end nulls last,
                case
                    when placed.gradient_accumulation is not distinct from base.gradient_accumulation then 1
                    else greatest(placed.gradient_accumulation, base.gradient_accumulation)
                        / case when placed.gradient_accumulation + base.gradient_accumulation is not null
                            then least(placed.gradient_accumulation, base.gradient_accumulation) end
                end nulls last
        ) as preference
    from placed
    join base
        on base.scaling = placed.scaling
        and base.family = placed.family
        and base.rule = placed.rule
        and base.unit is not distinct from placed.unit
    where placed.gpus is not null
),
chosen as (
    -- Two bases that are equally near: none.
    select
        cell_id,
        scaling,
        case when count(*) = 1 then min(base_id) end as base_id,
        case when count(*) = 1 then bool_or(other_batch) end as other_batch
    from paired
    where preference = 1
    group by cell_id, scaling
),
row_of as (
    select
        placed.cell_id,
        placed.scaling,
        chosen.base_id,
        placed.scaling = 'weak'
            and chosen.base_id is not distinct from
                case when placed.value is not null and placed.gpus is not null then placed.cell_id end as is_own
    from placed
    left join chosen using (cell_id, scaling)
    where placed.scaling = 'weak' or coalesce(chosen.other_batch, true) or chosen.base_id = placed.cell_id
    qualify not bool_and(is_own) over (partition by placed.cell_id)
)
select
    cell.cell as speed_cell,
    cell.series_id,
    row_of.scaling,
    base_cell.series_id as base_series_id,
    base_cell.gpus as base_gpus,
    base_cell.value as base_value,
    rounded(
        faster(cell.global_value, base_cell.global_value, cell.unit), rule.speedup_rounding, rule.speedup_rounding_digits
    ) as speedup,
    faster(cell.global_value, base_cell.global_value, cell.unit) * base_cell.gpus / cell.gpus as efficiency,
    speedup_key(cell.cell, row_of.scaling) as cell
from cell
join row_of using (cell_id)
join kept.rule using (rule)
left join cell as base_cell on base_cell.cell_id = row_of.base_id;
