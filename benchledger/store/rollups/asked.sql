-- Which readings are asked for a speed, and under which rules. Runs of one format whose cases and readings are alike are
-- asked alike: one of them is asked for all.

create or replace temp table stated as
select run_id, min(try_cast(value as double)) as params_b
from fact
semi join chunk_run using (run_id)
where name = 'params_b' and used
group by run_id;

create or replace temp table alike as
with own as (
    select run_id, list_sort(list(reading_key * 2 + has_one_rank::bigint)) as readings
    from listed
    group by run_id
)
select
    run_id,
    min(run_id) over (partition by
        run_format.format, run_id in (select run_id from due_record), batch_size_per_gpu, global_batch_size, nodes, gpus,
        seq_len, params_b, readings
    ) as like_run
from own
join run using (run_id)
join bench_case using (case_id)
left join run_format using (run_id)
left join stated using (run_id);

-- Of a run that is read again all its rules are asked, of others those that have changed.
create or replace temp table asked_rule as
with own as (
    select run_id, format
    from run_format
    where run_id in (select like_run from alike)
),
applicable as (
    select own.run_id, rule.rule
    from own
    cross join rule
    where rule.formats is null
    union all
    select own.run_id, formatted.rule
    from own
    join (select rule, unnest(formats) as format from rule) as formatted using (format)
)
select run_id, rule
from applicable
where run_id in (select run_id from due_record)
    or rule in (select name from changed_definition where kind = 'rule');

-- Each reading with all that its rules ask of its run, once; asked has as many rows for it as rules.
create or replace temp table told as
select
    listed.*,
    -- Without a rule's word a step speaks by its printed speed (steps/s where it prints no other), else by its
    -- printed time, else by the clock.
    case quantity
        when 'throughput' then unit is distinct from 'steps/s' or not bool_or(speaks and unit <> 'steps/s') over of_kind
        when 'step_time' then not bool_or(speaks) over of_kind
        when 'interval' then not bool_or(speaks or quantity = 'step_time') over of_kind
        -- What an epoch, a round of all ranks or a whole run took is no speed of a step: a rule asks for it.
        else false
    end as is_first_choice,
    -- One number cannot be made of throughputs that go by several names, or are now per GPU and now global.
    count(*) over of_name as scopes,
    count(unit) over of_quantity as with_unit,
    -- Keys are in the order of names and scopes.
    reading_key = min(reading_key) over of_unit as is_first,
    reading_key = min(reading_key) over of_name as is_first_of_name,
    min(listed.name) over of_unit as one_name,
    max(listed.name) over of_unit as other_name,
    count(*) over of_kind = 1 as is_alone,
    case
        when quantity <> 'throughput' then 1
        when scope = 'gpu' then gpus
        when scope = 'node' then nodes
        -- Of one GPU, the speed per GPU is the global one.
        when scope = 'global' or gpus = 1 then 1
    end as processes,
    batch_size_per_gpu,
    global_batch_size,
    nodes,
    gpus,
    seq_len,
    stated.params_b
from (
    select
        *,
        row_number() over () as listed_id,
        quantity = 'throughput' and (unit is null or unit in ('samples/s', 'tokens/s', 'steps/s')) as speaks
    from listed
    where run_id in (select like_run from alike)
) as listed
join run using (run_id)
join bench_case using (case_id)
left join stated using (run_id)
window
    of_kind as (partition by listed.run_id, kind, phase),
    of_quantity as (partition by listed.run_id, kind, phase, quantity),
    of_unit as (partition by listed.run_id, kind, phase, quantity, unit),
    of_name as (partition by listed.run_id, kind, phase, quantity, unit, listed.name);

create or replace temp table asked as
-- Rules that take the same of a run's readings share them.
with variant as (
    select
        rule,
        dense_rank() over (order by after_step, to_step, reading_rounding, reading_rounding_digits) as variant,
        count(*) over () as variants,
        -- And those that ask the same of a stream one answer.
        dense_rank() over (
            order by skip, take, skip_last, positive_only, statistic, average_of, trim, trim_from, ranks = 'mean'
        ) as question,
        after_step,
        to_step,
        reading_rounding,
        reading_rounding_digits
    from rule
),
readable as (
    select
        told.*,
        rule.rule,
        rule.ranks,
        rule.take,
        rule.batch,
        rule.volume,
        rule.per,
        case when told.quantity = 'throughput' then told.unit else 'steps/s' end as base_unit,
        case
            when rule.unit is not null then rule.unit
            when told.quantity = 'throughput' then told.unit
            else 'samples/s'
        end as yields,
        case
            when told.unit is null and with_unit > 0
                then 'no unit is known for these records; others of this run have one'
            when rule.name is null and one_name <> other_name
                then format('{} goes by several names: {}, {}', replace(told.quantity, '_', ' '), one_name, other_name)
            when scopes > 1 then 'throughput is per GPU in some records and global in others'
        end as mixture,
        case
            when rule.ranks = 'median' then 'median'
            when has_one_rank or rule.ranks = 'all' then 'all'
            when rule.ranks = 'first' then 'first'
            else 'each'
        end as lanes,
        variant.* exclude (rule)
    from told
    join asked_rule using (run_id)
    join rule on rule.rule = asked_rule.rule and rule.kind = told.kind
    join variant on variant.rule = rule.rule
    where (rule.name is null or rule.name = told.name)
        and case when rule.quantity is null then is_first_choice else rule.quantity = told.quantity end
        and case when rule.name is null then is_first else is_first_of_name end
),
convertible as (
    select *
    from readable
    where yields is not distinct from base_unit
        or (base_unit = 'steps/s' and yields in ('samples/s', 'tokens/s', 's', 'min', 'TFLOP/s'))
        or (base_unit = 'samples/s' and yields in ('tokens/s', 's'))
        or (base_unit = 'tokens/s' and yields in ('samples/s', 's'))
),
chosen as (
    select * from convertible where is_alone
    union all
    select *
    from convertible
    where not is_alone
    -- Of two readings that both lead to the rule's unit the one that is printed in it; throughput before times.
    qualify row_number() over (
        partition by run_id, rule, phase, yields
        order by yields is not distinct from base_unit desc, quantity desc, unit
    ) = 1
)
select
    run_id as like_run,
    reading_key,
    kind,
    phase,
    quantity,
    rule,
    question,
    base_unit,
    yields,
    mixture,
    lanes,
    after_step,
    to_step,
    reading_rounding,
    reading_rounding_digits,
    (listed_id * 4 + case lanes when 'all' then 0 when 'first' then 1 when 'each' then 2 else 3 end) * variants
        + variant as stream_id,
    processes,
    case
        when quantity <> 'throughput' and unit is distinct from 's' then null
        when yields is not distinct from base_unit or base_unit = 'steps/s' and yields in ('s', 'min') then 1
        when yields = 's' then global_batch_size * case base_unit when 'tokens/s' then seq_len else 1 end
        -- 8 FLOP a parameter and token, forward twice (activations are computed again) and backward.
        when yields = 'TFLOP/s' then 8 * params_b * global_batch_size * seq_len / 1000
        when base_unit = 'steps/s'
            then case batch when 'pass' then batch_size_per_gpu * gpus else global_batch_size end
                * case yields when 'tokens/s' then seq_len else 1 end
        when base_unit = 'tokens/s' then 1 / seq_len
        else seq_len
    end as conversion,
    -- As some owners publish it: of one GPU, or of all steps of the window in the time of one.
    case volume when 'window' then take else 1 end / case per when 'gpu' then gpus else 1 end as share,
    case
        when processes is not null and conversion is not null and share is not null then null
        when quantity = 'throughput' and scope = 'gpu' and gpus is null then 'gpus'
        when quantity = 'throughput' and scope = 'node' and nodes is null then 'nodes'
        when quantity = 'throughput' and scope is null and gpus is distinct from 1 then 'scope'
        when quantity <> 'throughput' and unit is distinct from 's' then 'unit'
        when (base_unit = 'steps/s' and batch = 'global' or base_unit <> 'steps/s' and yields = 's')
            and global_batch_size is null
            then 'global_batch_size'
        when base_unit = 'steps/s' and batch = 'pass' and batch_size_per_gpu is null then 'batch_size_per_gpu'
        when base_unit = 'steps/s' and batch = 'pass' and gpus is null then 'gpus'
        when base_unit = 'steps/s' and yields = 'TFLOP/s' and params_b is null then 'params_b'
        when per = 'gpu' and gpus is null then 'gpus'
        else 'seq_len'
    end as needed
from chosen;
