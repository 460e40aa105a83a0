-- Which reading each rule takes of a run, and what turns it into the unit of the rule.
-- reads: run_reading, named_reading, run, bench_case, kept.run_format, kept.run_passes, chunk_rule, fact, due_record, changed_definition
-- makes: alike, reading_of_rule

-- Of runs with one format, equal facts of their cases and the same readings, one stands for all: each rule reads them alike.
-- All rules apply to a run whose records or case changed; to other runs only the rules that changed.
create or replace temp table alike as
with own as (
    select run_id, list_sort(list(reading_key * 2 + has_one_rank::bigint)) as readings
    from run_reading
    group by run_id
),
stated as (
    select run_id, min(try_cast(value as double)) as params_b
    from fact
    where name = 'params_b' and used
    group by run_id
)
select
    run_id,
    min(run_id) over (partition by
        format, own.run_id in (select run_id from due_record), batch_size_per_gpu, bench_case.global_batch_size,
        gradient_accumulation, nodes, gpus, seq_len, params_b, readings
    ) as like_run,
    own.run_id in (select run_id from due_record) as asks_all,
    format, batch_size_per_gpu, bench_case.global_batch_size, nodes, gpus, seq_len, params_b, passes
from own
join run using (run_id)
join bench_case using (case_id)
join kept.run_format using (run_id)
join kept.run_passes using (run_id)
left join stated using (run_id);

create or replace temp table reading_of_rule as
with described as (
    select
        *,
        quantity = 'throughput' and (unit is null or unit in ('samples/s', 'tokens/s', 'steps/s')) as has_known_unit,
        case
            when quantity <> 'throughput' then 1
            when scope = 'gpu' then gpus
            when scope = 'node' then nodes
            -- Of one GPU, the speed per GPU is the global one.
            when scope = 'global' or gpus = 1 then 1
        end as processes
    from run_reading
    join named_reading using (reading_key)
    join (from alike where run_id = like_run) using (run_id)
),
compared as (
    select
        *,
        -- Where a rule names no quantity, it reads the printed speed of a step (steps/s where it prints no other), else
        -- its printed time, else the clock. The time of an epoch, a round or a whole run is read only by name.
        case quantity
            when 'throughput' then unit is distinct from 'steps/s' or not bool_or(has_known_unit and unit <> 'steps/s') over of_kind
            when 'step_time' then not bool_or(has_known_unit) over of_kind
            when 'interval' then not bool_or(has_known_unit or quantity = 'step_time') over of_kind
            else false
        end as is_first_choice,
        -- One number cannot be made of throughputs that go by several names, or are now per GPU and now global.
        count(*) over of_name as scopes,
        count(unit) over of_quantity as with_unit,
        reading_key = min(reading_key) over of_unit as is_first,
        reading_key = min(reading_key) over of_name as is_first_of_name,
        min(name) over of_unit as one_name,
        max(name) over of_unit as other_name
    from described
    window
        of_kind as (partition by run_id, kind, phase),
        of_quantity as (partition by run_id, kind, phase, quantity),
        of_unit as (partition by run_id, kind, phase, quantity, unit),
        of_name as (partition by run_id, kind, phase, quantity, unit, name)
),
readable as (
    select
        compared.* exclude (processes),
        -- What a process prints of its GPU is the number of a GPU, however many there are.
        if(rule.per = 'gpu' and scope = 'gpu', 1, processes) as processes,
        rule.rule, rule.batch, rule.after_step, rule.to_step, rule.reading_rounding, rule.reading_rounding_digits,
        case when compared.quantity = 'throughput' then compared.unit else 'steps/s' end as base_unit,
        coalesce(rule.unit, case when compared.quantity = 'throughput' then compared.unit else 'samples/s' end) as yields,
        case
            when compared.unit is null and with_unit > 0
                then 'no unit is known for these records; others of this run have one'
            when rule.name is null and one_name <> other_name
                then format('{} goes by several names: {}, {}', replace(compared.quantity, '_', ' '), one_name, other_name)
            when scopes > 1 then 'throughput is per GPU in some records and global in others'
        end as mixture,
        case
            when rule.ranks = 'median' then 'median'
            when has_one_rank or rule.ranks = 'all' then 'all'
            when rule.ranks = 'first' then 'first'
            else 'each'
        end as lanes,
        -- As some owners publish it: of one GPU, or of all steps of the window in the time of one.
        if(rule.volume = 'window', rule.take, 1)
            / if(rule.per = 'gpu' and scope is distinct from 'gpu', gpus, 1) as share,
        rule.per
    from compared
    join chunk_rule as rule
        on rule.kind = compared.kind
        and (rule.formats is null or list_contains(rule.formats, compared.format))
        and (rule.name is null or rule.name = compared.name)
        and if(rule.quantity is null, is_first_choice, rule.quantity = compared.quantity)
        and if(rule.name is null, is_first, is_first_of_name)
    where (asks_all or rule.rule in (select name from changed_definition where kind = 'rule'))
),
-- Of two readings that both lead to the unit of the rule the one that is printed in it; throughput before times.
chosen as (
    select *
    from readable
    where yields is not distinct from base_unit
        or (base_unit = 'steps/s' and yields in ('samples/s', 'tokens/s', 's', 'min', 'TFLOP/s'))
        or (base_unit = 'samples/s' and yields in ('tokens/s', 's'))
        or (base_unit = 'tokens/s' and yields in ('samples/s', 's'))
    qualify row_number() over (
        partition by run_id, rule, phase, yields
        order by yields is not distinct from base_unit desc, quantity desc, unit
    ) = 1
),
converted as (
    select
        *,
        case
            when quantity <> 'throughput' and unit is distinct from 's' then null
            when yields is not distinct from base_unit or base_unit = 'steps/s' and yields in ('s', 'min') then 1
            when yields = 's' then global_batch_size::double * if(base_unit = 'tokens/s', seq_len, 1)
            -- 8 FLOP a parameter and token, forward twice (activations are computed again) and backward.
            when yields = 'TFLOP/s' then 8 * params_b * global_batch_size * seq_len / 1000
            when base_unit = 'steps/s'
                then if(batch = 'pass', batch_size_per_gpu::double * gpus, global_batch_size / passes)
                    * if(yields = 'tokens/s', seq_len, 1)
            when base_unit = 'tokens/s' then 1 / seq_len
            else seq_len
        end as conversion
    from chosen
)
select
    run_id as like_run, rule, phase, reading_key, kind, quantity, base_unit, yields, mixture, processes, conversion, share,
    lanes, after_step, to_step, reading_rounding, reading_rounding_digits,
    -- Rules that count in the same readings.
    dense_rank() over (
        order by run_id, reading_key, lanes, after_step, to_step, reading_rounding, reading_rounding_digits
    ) as like_stream,
    case
        when processes is not null and conversion is not null and share is not null then null
        when quantity = 'throughput' and scope = 'gpu' and processes is null then 'gpus'
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
from converted;
