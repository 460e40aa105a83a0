-- Memory ------------------------------------------------------------------------------------------------------

-- Kept, as run_speed.
create table run_memory (
    run_id       bigint not null,
    case_id      bigint not null,
    definition   varchar not null,
    device       varchar,
    value_mib    double,
    records_used bigint not null
);

create view memory_table as
with trial as (
    select
        series_run.series_id,
        run_memory.run_id,
        run_memory.definition,
        run.status,
        run.status in ('ok', 'unknown') as is_trial,
        max(run_memory.value_mib) as value_mib
    from kept.series_run
    join run_memory using (run_id)
    join run using (run_id)
    group by all
),
cell as (
    select
        series_id,
        definition,
        median(value_mib) filter (where is_trial) as value_mib,
        count(*) filter (where is_trial) as trials,
        count(*) filter (where not is_trial) as trials_dropped,
        min(value_mib) filter (where is_trial) as lowest_mib,
        max(value_mib) filter (where is_trial) as highest_mib,
        case when bool_or(is_trial) then 'ok' else min(status) end as status
    from trial
    group by series_id, definition
)
select
    series.series_id,
    series.campaign,
    series.case_id,
    bench_case.name,
    bench_case.framework,
    bench_case.implementation,
    bench_case.model,
    bench_case.task,
    bench_case.precision,
    bench_case.batch_size_per_gpu,
    bench_case.global_batch_size,
    bench_case.nodes,
    bench_case.gpus,
    bench_case.seq_len,
    bench_case.gradient_accumulation,
    bench_case.options,
    series.gpu_model,
    cell.definition,
    cell.value_mib,
    series.gpu_memory_mib,
    series.gpu_memory_mib - cell.value_mib as headroom_mib,
    cell.trials,
    cell.trials_dropped,
    cell.lowest_mib,
    cell.highest_mib,
    cell.status,
    series.framework_version,
    series.implementation_version,
    series.mixed,
    cell_key('m', [series.series_id::varchar, cell.definition]) as cell
from cell
join series using (series_id)
join bench_case using (case_id);

-- Speed-up ----------------------------------------------------------------------------------------------------

-- Seconds are the better the fewer.
create macro faster(value, base, unit) as
    case when unit in ('s', 'min') then base / value else value / base end;

-- Short name of a speed-up, from that of its speed.
create macro speedup_key(cell, scaling) as
    case scaling when 'weak' then 'u' || cell[2:] else cell_key('u', [cell, scaling]) end;

-- Kept, as kept.cell: the speed-ups of each speed that is more than simply its own base of weak scaling.
create table kept.speedup (
    speed_cell     varchar not null,
    series_id      bigint not null,
    scaling        varchar not null,
    base_series_id bigint,
    base_gpus      bigint,
    base_value     double,
    speedup        double,
    efficiency     double,
    cell           varchar not null
);

create view speedup_table as
with told as (
    select
        speed_table.* exclude (gpu_memory_mib, framework_version, implementation_version, mixed, trial_runs, cell),
        speedup.* exclude (speed_cell, series_id, cell),
        -- Of which nothing is kept: a number of known GPUs is its own base, anything else has none.
        speedup.speed_cell is null and speed_table.value is not null and speed_table.gpus is not null as is_base,
        speed_table.gpu_memory_mib,
        speed_table.framework_version,
        speed_table.implementation_version,
        speed_table.mixed,
        coalesce(speedup.cell, speedup_key(speed_table.cell, 'weak')) as cell
    from speed_table
    left join kept.speedup on speedup.speed_cell = speed_table.cell
)
select
    * exclude (is_base) replace (
        coalesce(scaling, 'weak') as scaling,
        case when is_base then series_id else base_series_id end as base_series_id,
        case when is_base then gpus else base_gpus end as base_gpus,
        case when is_base then value else base_value end as base_value,
        case when is_base then value / value else speedup end as speedup,
        case when is_base then value / value else efficiency end as efficiency
    )
from told;

-- What went wrong, and what fits ------------------------------------------------------------------------------

create view kept.failure_table as
with last_words as (
    select run_log.run_id, run_log.log_id, segment.event_line as line, min(segment.event_text) as event_text
    from run_log
    join kept.segment using (log_id, segment)
    where segment.event_line is not null
    group by all
)
select
    run.run_id,
    run_campaign.campaign,
    run.case_id,
    bench_case.name,
    bench_case.framework,
    bench_case.implementation,
    bench_case.model,
    bench_case.task,
    bench_case.precision,
    bench_case.batch_size_per_gpu,
    bench_case.global_batch_size,
    bench_case.nodes,
    bench_case.gpus,
    bench_case.seq_len,
    bench_case.gradient_accumulation,
    bench_case.options,
    run.status,
    run.reason,
    run.status_log_id as log_id,
    run.status_line as line,
    coalesce(last_words.event_text, run.reason) as text,
    environment.gpu_model,
    run.run_key,
    run.steps_done,
    run.steps_planned,
    run.exit_code
from run
anti join kept.excluded_run using (run_id)
left join kept.run_campaign using (run_id)
join bench_case using (case_id)
left join environment using (environment_id)
left join last_words
    on last_words.run_id = run.run_id
    and last_words.log_id = run.status_log_id
    and last_words.line = run.status_line
where run.status not in ('ok', 'unknown');

-- The global batch and its accumulation follow from the batch size: they are no part of what a row is of. A run that
-- was out of memory early often has no telemetry to tell its card by: where nothing of its case ran on an unstated card,
-- it stands with the only card of its kin.
create view kept.max_batch_table as
with spoken as (
    select
        series.campaign,
        series.gpu_model as stated_model,
        bench_case.framework,
        bench_case.implementation,
        bench_case.model,
        bench_case.task,
        bench_case.precision,
        bench_case.nodes,
        bench_case.gpus,
        bench_case.seq_len,
        bench_case.gradient_accumulation,
        bench_case.options,
        bench_case.batch_size_per_gpu,
        run.status = 'oom' as is_oom,
        bool_and(is_oom) over (
            partition by
                series.campaign, series.gpu_model, bench_case.framework, bench_case.implementation, bench_case.model,
                bench_case.task, bench_case.precision, bench_case.nodes, bench_case.gpus, bench_case.seq_len,
                bench_case.options
        ) as none_ran,
        min(series.gpu_model) over kin as first_model,
        max(series.gpu_model) over kin as last_model
    from kept.series_run
    join series using (series_id)
    join run on run.run_id = series_run.run_id
    join bench_case on bench_case.case_id = run.case_id
    where bench_case.batch_size_per_gpu is not null and run.status in ('ok', 'unknown', 'oom')
    window kin as (
        partition by series.campaign, bench_case.framework, bench_case.implementation, bench_case.model, bench_case.task
    )
),
placed as (
    select
        *,
        case when stated_model is null and none_ran and first_model = last_model then first_model else stated_model end
            as gpu_model
    from spoken
)
select
    campaign, gpu_model, framework, implementation, model, task, precision, nodes, gpus, seq_len,
    case when min(gradient_accumulation) = max(gradient_accumulation) then min(gradient_accumulation) end
        as gradient_accumulation,
    options,
    max(batch_size_per_gpu) filter (where not is_oom) as largest_ok,
    min(batch_size_per_gpu) filter (where is_oom) as smallest_oom,
    count(*) as runs,
    list_sort(list(distinct batch_size_per_gpu) filter (where not is_oom)) as sizes_ok,
    list_sort(list(distinct batch_size_per_gpu) filter (where is_oom)) as sizes_oom
from placed
group by campaign, gpu_model, framework, implementation, model, task, precision, nodes, gpus, seq_len, options;

-- Ours against what others published --------------------------------------------------------------------------

-- A column that a published number states must be the same in ours; one that it does not state is no condition. In the
-- document's own logs what they do not say is no contradiction. The card is shown, not asked for.
create view kept.published_table as
with family as (
    select series_id, min(environment.gpu_family) as gpu_family
    from kept.series_member
    join environment using (environment_id)
    group by series_id
    having min(environment.gpu_family) = max(environment.gpu_family)
),
ours as (
    select
        'speed' as quantity, series_id, campaign, rule, is_default, value, unit, trials, conflicts, framework, implementation, model,
        task, precision, batch_size_per_gpu, nodes, gpus, seq_len, gradient_accumulation, gpu_model, cell
    from speed_table
    where value is not null
    union all
    select
        'speedup', series_id, campaign, rule, is_default, speedup, '1', trials, conflicts, framework, implementation, model,
        task, precision, batch_size_per_gpu, nodes, gpus, seq_len, gradient_accumulation, gpu_model, cell
    from speedup_table
    where speedup is not null and scaling = 'weak'
),
paired as (
    select
        published.source, published.revision, published.section, published.cell, published.quantity,
        ours.campaign,
        ours.series_id,
        ours.rule,
        ours.rule = published.rule is true as is_claimed,
        ours.value,
        ours.trials,
        ours.conflicts,
        coalesce(ours.gpu_model, family.gpu_family) as gpu_model,
        ours.cell as our_cell,
        in_campaign(ours.campaign, published.campaign) is true as own_logs
    from published
    join ours
        on ours.quantity = published.quantity
        and ours.unit = published.unit
        and (ours.is_default or ours.rule = published.rule)
    left join family on family.series_id = ours.series_id
    where (published.framework is null or published.framework = ours.framework or (ours.framework is null and own_logs))
        and (published.implementation is null or published.implementation = ours.implementation or (ours.implementation is null and own_logs))
        and (published.model is null or published.model = ours.model or (ours.model is null and own_logs))
        and (published.task is null or published.task = ours.task or (ours.task is null and own_logs))
        and (published.precision is null or published.precision = ours.precision or (ours.precision is null and own_logs))
        and (published.batch_size_per_gpu is null or published.batch_size_per_gpu = ours.batch_size_per_gpu
            or (ours.batch_size_per_gpu is null and own_logs))
        and (published.nodes is null or published.nodes = ours.nodes or (ours.nodes is null and own_logs))
        and (published.gpus is null or published.gpus = ours.gpus or (ours.gpus is null and own_logs))
        and (published.seq_len is null or published.seq_len = ours.seq_len or (ours.seq_len is null and own_logs))
        and (published.gradient_accumulation is null or published.gradient_accumulation = ours.gradient_accumulation
            or (ours.gradient_accumulation is null and own_logs))
    -- The rule that the document claims, and where it gives no number for a series the default one.
    qualify is_claimed or not bool_or(is_claimed) over (
        partition by
            published.source, published.revision, published.section, published.cell, published.quantity, ours.series_id
    )
)
select
    published.source,
    published.revision,
    published.section,
    published.cell,
    published.quantity,
    published.framework,
    published.implementation,
    published.model,
    published.task,
    published.precision,
    published.batch_size_per_gpu,
    published.nodes,
    published.gpus,
    published.seq_len,
    published.gradient_accumulation,
    published.gpu_model,
    published.printed,
    published.value,
    published.unit,
    paired.campaign,
    coalesce(paired.own_logs, false) as own_logs,
    paired.series_id,
    paired.gpu_model as our_gpu_model,
    paired.value as our_value,
    paired.rule,
    case when paired.is_claimed then 'claimed' when paired.rule is not null then 'default' end as rule_is,
    paired.trials,
    paired.conflicts,
    paired.value - published.value as difference,
    paired.value / nullif(published.value, 0) as ratio,
    case
        when paired.value is null then 'nothing of ours'
        when format('{:.{}f}', paired.value, digits) = format('{:.{}f}', published.value, digits) then 'rounded'
        when rounded(paired.value, 'truncate', digits) = rounded(published.value, 'round_even', digits) then 'truncated'
        when abs(difference) <= 0.005 * abs(published.value) then 'within 0.5 %'
        -- A family, such as V100, is the beginning of a model.
        when not starts_with(translate(published.gpu_model, ' ', '-') || '-', translate(paired.gpu_model, ' ', '-') || '-')
            then 'other card'
        else 'other'
    end as equal,
    published.note,
    published.url,
    paired.our_cell
from (select *, len(split_part(printed, '.', 2))::integer as digits from published) as published
left join paired
    on paired.source = published.source
    and paired.revision is not distinct from published.revision
    and paired.section = published.section
    and paired.cell = published.cell
    and paired.quantity = published.quantity;

-- Contradictions that no single fact shows ---------------------------------------------------------------------

-- Without its folders, and without the endings that packing adds.
create view kept.log_name as
select
    log_id,
    regexp_replace(split_part(coalesce(member, path), '/', -1), '\.(gz|bz2|xz|zst)$', '') as name,
    min(place_of(path, archive, member)) as place,
    count(*) over (partition by log_id) as names
from sighting
where status in ('loaded', 'duplicate', 'unchanged')
group by log_id, regexp_replace(split_part(coalesce(member, path), '/', -1), '\.(gz|bz2|xz|zst)$', '');

-- A log that says of neither number that it is of one GPU.
create view kept.multiplied_speed as
with printed as (
    select run_id, log_id, name, scope, quantity, unit, min(line) as line, median(value) as speed
    from measurement
    where phase = 'train' and unit in ('samples/s', 'tokens/s') and scope is distinct from 'gpu' and value > 0
    group by all
)
select
    run_id, bench_case.gpus, high.log_id,
    low.name, low.speed as value, low.line,
    high.name as higher_name, high.speed as higher_value, high.line as higher_line
from printed as low
join printed as high using (run_id, unit)
join run using (run_id)
join bench_case using (case_id)
-- Within a thousandth: both numbers were made of the same, by two ways of averaging.
where bench_case.gpus > 1 and low.quantity = 'throughput' and low.scope = 'global'
    and abs(high.speed / (low.speed * bench_case.gpus) - 1) < 0.001;

-- Leaderboard -------------------------------------------------------------------------------------------------

-- A log that was archived twice is in two campaigns. Of series that share a run the one with most trials stands, of
-- several the first by campaign, and drops the others: no run is ranked twice, and every value is one of speed_table. Where nobody states the
-- card there may be several of them: such series are listed, but have no rank.
create macro leaderboard_of(campaign_glob) as table
with recursive sequence_family as (
    -- bert_large says that bert_base has sequences too; no ResNet states a length.
    select distinct split_part(model, '_', 1) as family
    from bench_case
    where seq_len is not null
),
candidate as materialized (
    select
        *,
        -- Not known to be equal work is not ranked.
        model is not null and task is not null and precision is not null and gpu_model is not null
        and gpus is not null and unit is not null
        and (
            seq_len is not null
            or split_part(model, '_', 1) not in (select family from sequence_family where family is not null)
        ) as is_known
    from speed_table
    where is_default and trials > 0 and value is not null
        -- The speed of one GPU is not ranked among those of all.
        and rule not in (select told.rule from kept.rule as told where told.per is not null)
        and in_campaign(campaign, campaign_glob)
),
claim as (
    select cell, place, rule, unit, unnest(trial_runs) as run_id
    from (select *, row_number() over (order by trials desc, campaign nulls last, series_id, rule, unit) as place from candidate)
),
rival as materialized (
    select distinct worse.cell, better.cell as better
    from claim as worse
    join claim as better
        on better.run_id = worse.run_id
        and better.rule = worse.rule
        and better.unit is not distinct from worse.unit
        and better.place < worse.place
),
-- A series stands once each that goes before it is known not to; one of those that does drops it. The first that is not
-- decided always can be, so that every step decides some.
step as (
    select cell, 1 as nth, case when cell not in (select cell from rival) then true end as stands
    from candidate
    union all
    select
        now.cell,
        any_value(now.nth) + 1,
        coalesce(
            any_value(now.stands),
            case
                when bool_or(before.stands) then false
                when count(*) = count(*) filter (where not before.stands) then true
            end
        )
    from step as now
    -- All rows of a step have one number: while one of them is undecided, they are all looked at again.
    semi join (select nth from step where stands is null) as undecided on undecided.nth = now.nth
    left join rival on rival.cell = now.cell
    left join step as before on before.cell = rival.better
    group by now.cell
),
home as (
    select cell
    from step
    where stands
)
select
    candidate.model,
    candidate.task,
    candidate.precision,
    candidate.seq_len,
    candidate.gpu_model,
    candidate.gpus,
    candidate.unit,
    case when candidate.is_known then rank() over board end as rank,
    case
        when candidate.is_known
            then rank() over board + count(*) over (board range between current row and current row) - 1
    end as rank_last,
    candidate.series_id,
    candidate.campaign,
    candidate.framework,
    candidate.implementation,
    candidate.batch_size_per_gpu,
    candidate.value,
    candidate.rule,
    candidate.trials,
    candidate.trials_dropped,
    candidate.framework_version,
    candidate.implementation_version,
    candidate.cell,
    candidate.lowest,
    candidate.highest
from candidate
semi join home using (cell)
window board as (
    partition by
        candidate.model, candidate.task, candidate.precision, candidate.seq_len, candidate.gpu_model,
        candidate.gpus, candidate.unit
    order by case when candidate.unit in ('s', 'min') then -candidate.value else candidate.value end desc
);

create view leaderboard as
select * from leaderboard_of('*');
