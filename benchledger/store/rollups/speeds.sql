-- What the records of temp table chunk_record say of speed, under the rules that temp table due_rule asks of their runs.

-- What a run's speed is made of: every speed and step time that it prints. A number stands for all that tells readings of
-- one run apart, since it is grouped by faster than six texts.
create or replace temp table printable as
select
    shape_id, ordinal, kind, phase, quantity, unit, name, scope,
    dense_rank() over (order by kind, phase, quantity, unit, name, scope) as reading_key
from shape
where quantity in ('throughput', 'step_time', 'epoch_time') and kind in ('step', 'summary');

create or replace temp view printed_reading as
select
    record.run_id,
    printable.reading_key,
    printable.quantity,
    record.part,
    record.log_id,
    record.byte_offset,
    printable.ordinal,
    coalesce(record.rank, -1) as rank,
    record.step - 1 as since,
    record.step,
    1 as steps,
    record."values"[printable.ordinal] as value,
    isfinite(value) and (printable.quantity = 'throughput' or value > 0) as is_usable
from chunk_record as record
join printable using (shape_id)
where record.part is not null and value is not null;

-- Most rules need no more than the speeds in their order; structs cost several times as much.
create or replace temp macro listed_of(readings) as table
select
    run_id,
    reading_key,
    any_value(quantity) as quantity,
    coalesce(
        list(per_second(value, steps, quantity) order by part, log_id, byte_offset, ordinal) filter (where is_usable), []
    ) as rates,
    min(per_second(value, steps, quantity)) filter (where is_usable) as lowest_rate,
    count(*) as records,
    min(rank) as lowest_rank,
    min(rank) = max(rank) as has_one_rank
from query_table(readings)
group by run_id, reading_key;

create or replace temp table listed as
select
    listed.* exclude (reading_key),
    printable.kind,
    printable.phase,
    printable.unit,
    printable.name,
    printable.scope
from listed_of('printed_reading') as listed
join (select distinct reading_key, kind, phase, unit, name, scope from printable) as printable using (reading_key);

-- And the time from step to step, from round to round of all ranks, and between two records that a rule names.
create or replace temp table asked_timing as
select run_format.run_id, asked.quantity
from run_format
semi join chunk_run using (run_id)
join (
    select distinct quantity, unnest(coalesce(formats, [null])) as format
    from rule
    where quantity in ('interval', 'round', 'span')
) as asked
    on coalesce(asked.format, run_format.format) = run_format.format;

-- Intervals are made where nothing else tells a step's speed, or a rule asks for them.
create or replace temp table timed_run as
select run_id
from chunk_run
where run_id in (select run_id from asked_timing where quantity = 'interval')
    or run_id not in (
        select run_id
        from listed
        where kind = 'step'
            and phase = 'train'
            and (quantity = 'step_time' or unit is null or unit in ('samples/s', 'tokens/s', 'steps/s'))
    );

create or replace temp table round_run as
select run_id from asked_timing where quantity = 'round';

create or replace temp table span_run as
select run_id from asked_timing where quantity = 'span';

create or replace temp table timed_reading as
with clock as not materialized (
    select *
    from chunk_record
    where part is not null and shape_id in (select shape_id from shape where kind = 'step' and phase = 'train')
),
interval as (
    select
        run_id,
        part,
        log_id,
        byte_offset,
        coalesce(rank, -1) as rank,
        lag(step) over earlier as since,
        step,
        coalesce(
            (epoch_us(logged_at) - epoch_us(lag(logged_at) over earlier)) / 1e6, clock_s - lag(clock_s) over earlier
        ) as seconds
    from clock
    semi join timed_run using (run_id)
    window earlier as (partition by run_id, coalesce(rank, -1) order by part, log_id, byte_offset)
),
-- Where each rank prints a line, a round is one of each: of so many records as there are ranks the last, in the order of
-- the lines. Some scripts count these.
line as (
    select
        run_id,
        part,
        log_id,
        byte_offset,
        step,
        logged_at,
        clock_s,
        row_number() over (partition by run_id order by part, log_id, byte_offset) as nth,
        count(distinct coalesce(rank, -1)) over (partition by run_id) as ranks
    from clock
    semi join round_run using (run_id)
),
round as (
    select
        *,
        lag(step) over earlier as since,
        coalesce(
            (epoch_us(logged_at) - epoch_us(lag(logged_at) over earlier)) / 1e6, clock_s - lag(clock_s) over earlier
        ) as seconds
    from line
    where nth % ranks = 0
    window earlier as (partition by run_id order by nth)
),
-- The time between two records, which a rule names by their labels: from the first of the one to the last of the other.
asked_span as (
    select distinct
        name, split_part(name, ' to ', 1) as from_label, split_part(name, ' to ', 2) as to_label,
        unnest(coalesce(formats, [null])) as format
    from rule
    where quantity = 'span'
),
span_end as (
    select
        record.run_id,
        asked_span.name,
        record.label = asked_span.from_label as is_start,
        {
            'part': record.part, 'log_id': record.log_id, 'byte_offset': record.byte_offset,
            'logged_at': record.logged_at, 'clock_s': record.clock_s
        } as place
    from chunk_record as record
    semi join span_run using (run_id)
    join run_format using (run_id)
    join asked_span
        on coalesce(asked_span.format, run_format.format) = run_format.format
        and record.label in (asked_span.from_label, asked_span.to_label)
    where record.part is not null
),
span as (
    select
        *,
        coalesce((epoch_us(stop.logged_at) - epoch_us(start.logged_at)) / 1e6, stop.clock_s - start.clock_s) as seconds
    from (
        select run_id, name, min(place) filter (where is_start) as start, max(place) filter (where not is_start) as stop
        from span_end
        group by run_id, name
    )
),
every as (
    select
        run_id, 'interval' as quantity, null as name, part, log_id, byte_offset, rank, since, step,
        -- An iteration that overflowed repeats its step number; it was computed all the same.
        greatest(step - since, 1) as steps, seconds as value
    from interval
    where step >= since and seconds is not null
    union all
    select run_id, 'round', null, part, log_id, byte_offset, -1, since, step, greatest(step - since, 1), seconds
    from round
    where since is not null and step is not null and seconds is not null
    union all
    select run_id, 'span', name, stop.part, stop.log_id, stop.byte_offset, -1, null, null, 1, seconds
    from span
    where seconds is not null
)
select
    *, 0 as ordinal, value > 0 as is_usable,
    dense_rank() over (order by quantity, name) as reading_key
from every;

insert into listed by name
select
    listed.* exclude (reading_key),
    if(timed.quantity = 'span', 'summary', 'step') as kind,
    'train' as phase,
    's' as unit,
    timed.name,
    'global' as scope
from listed_of('timed_reading') as listed
join (select distinct reading_key, quantity, name from timed_reading) as timed using (reading_key);

create or replace temp view reading as
select
    printed_reading.* exclude (reading_key), printable.kind, printable.phase, printable.unit, printable.name, printable.scope
from printed_reading
join (select distinct reading_key, kind, phase, unit, name, scope from printable) as printable using (reading_key)
union all by name
select
    * exclude (reading_key),
    if(quantity = 'span', 'summary', 'step') as kind, 'train' as phase, 's' as unit, 'global' as scope
from timed_reading;

-- Each reading with all that its rules ask of its run, once; asked has as many rows for it as rules.
create or replace temp table told as
with stated as (
    select run_id, min(try_cast(value as double)) as params_b
    from fact
    semi join chunk_run using (run_id)
    where name = 'params_b' and used
    group by run_id
)
select
    listed.* exclude (rates, lowest_rate),
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
    row_number() over (partition by listed.run_id, kind, phase, quantity, unit order by listed.name, scope) as nth,
    row_number() over (partition by listed.run_id, kind, phase, quantity, unit, listed.name order by scope) as nth_of_name,
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
        rowid as listed_id,
        quantity = 'throughput' and (unit is null or unit in ('samples/s', 'tokens/s', 'steps/s')) as speaks
    from listed
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
with readable as (
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
        (rule.ranks = 'all' or rule.ranks <> 'median' and has_one_rank)
        and (rule.average_of = 'rates' or told.quantity not in ('interval', 'round'))
        and coalesce(rule.after_step, rule.to_step) is null
        and rule.reading_rounding is null as is_plain
    from told
    join due_rule using (run_id)
    join rule on rule.rule = due_rule.rule and rule.kind = told.kind
    where (rule.name is null or rule.name = told.name)
        and case when rule.quantity is null then is_first_choice else rule.quantity = told.quantity end
        and case when rule.name is null then nth else nth_of_name end = 1
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
    listed_id,
    run_id,
    kind,
    phase,
    quantity,
    unit,
    name,
    scope,
    lowest_rank,
    records,
    rule,
    ranks,
    base_unit,
    yields,
    mixture,
    is_plain,
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

-- The readings with their places, ranks and steps, for the rules that ask for these.
create or replace temp table placed as
with asked_place as (
    select distinct listed_id, run_id, kind, phase, quantity, unit, name, scope
    from asked
    where not is_plain and ranks <> 'median'
),
asked_median as (
    select distinct run_id from asked where ranks = 'median'
),
rank_median as (
    -- One reading a step: the median over its ranks, for the few formats that a rule wants it of.
    select
        record.run_id,
        rule.rule,
        shape.kind,
        shape.phase,
        shape.quantity,
        shape.unit,
        shape.name,
        shape.scope,
        record.epoch,
        record.step,
        min({'part': record.part, 'log_id': record.log_id, 'byte_offset': record.byte_offset}) as place,
        median(per_second(
            rounded(record."values"[shape.ordinal], rule.reading_rounding, rule.reading_rounding_digits),
            1, shape.quantity
        )) as rate
    from chunk_record as record
    join shape using (shape_id)
    join run_format using (run_id)
    semi join asked_median using (run_id)
    join rule
        on rule.quantity = shape.quantity
        and rule.kind = shape.kind
        and rule.ranks = 'median'
        and (rule.name is null or rule.name = shape.name)
        and (rule.formats is null or list_contains(rule.formats, run_format.format))
    where record.part is not null
        and isfinite(record."values"[shape.ordinal])
        and (shape.quantity = 'throughput' or record."values"[shape.ordinal] > 0)
        and record.step is not null
    group by all
),
stepwise as (
    select
        run_id,
        rule,
        kind,
        phase,
        quantity,
        unit,
        name,
        scope,
        list_sort(list({
            'part': place.part, 'log_id': place.log_id, 'byte_offset': place.byte_offset, 'ordinal': 0, 'rank': -1,
            'since': step - 1, 'step': step, 'steps': 1, 'value': per_second(rate, 1, quantity)
        })) as readings
    from rank_median
    group by run_id, rule, kind, phase, quantity, unit, name, scope
)
select
    null as rule,
    asked.listed_id,
    null as run_id,
    null as phase,
    null as unit,
    null as name,
    null as scope,
    list_sort(list({
        'part': part, 'log_id': log_id, 'byte_offset': byte_offset, 'ordinal': ordinal, 'rank': rank, 'since': since,
        'step': step, 'steps': steps, 'value': value
    })) as readings
from reading
join asked_place as asked
    on asked.run_id = reading.run_id
    and asked.kind = reading.kind
    and asked.phase is not distinct from reading.phase
    and asked.quantity = reading.quantity
    and asked.unit is not distinct from reading.unit
    and asked.name is not distinct from reading.name
    and asked.scope is not distinct from reading.scope
where is_usable
group by asked.listed_id
union all
select rule, null, run_id, phase, unit, name, scope, readings
from stepwise;

insert into kept_speed
with applied as (
    select
        asked.* exclude (ranks),
        rule.ranks,
        rule.skip,
        rule.take,
        rule.skip_last,
        rule.positive_only,
        rule.average_of,
        rule.statistic,
        rule.trim,
        rule.trim_from,
        rule.after_step,
        rule.to_step,
        rule.complete,
        rule.zero_fails,
        rule.reading_rounding,
        rule.reading_rounding_digits,
        rule.rounding,
        rule.rounding_digits,
        case when asked.is_plain then listed.rates end as all_rates,
        rule.positive_only and not (asked.is_plain and listed.lowest_rate > 0) as drops_some,
        case
            when asked.is_plain then null
            when asked.ranks = 'median' then coalesce(stepwise.readings, [])
            when asked.ranks = 'first' then list_filter(coalesce(placed.readings, []), lambda x: x.rank = asked.lowest_rank)
            else coalesce(placed.readings, [])
        end as candidates,
        case when asked.ranks = 'median' then coalesce(len(stepwise.readings), 0) else len(listed.rates) end as found,
        found + asked.records - len(listed.rates) as seen
    from asked
    join rule using (rule)
    join listed on listed.rowid = asked.listed_id
    left join (from placed where rule is null) as placed on placed.listed_id = asked.listed_id
    left join (from placed where rule is not null) as stepwise
        on stepwise.rule = asked.rule
        and stepwise.run_id = asked.run_id
        and stepwise.phase is not distinct from asked.phase
        and stepwise.unit is not distinct from asked.unit
        and stepwise.name = asked.name
        and stepwise.scope is not distinct from asked.scope
),
bounded as (
    select
        * exclude (candidates),
        case
            when is_plain or coalesce(after_step, to_step) is null then candidates
            -- Of an interval both ends lie within the window.
            else list_filter(
                candidates,
                lambda x: x.since >= coalesce(after_step, x.since) and x.step <= coalesce(to_step, x.step)
            )
        end as within
    from applied
),
windowed as (
    select
        * exclude (within, all_rates),
        case when is_plain then sliced(all_rates, skip, take, skip_last) end as plain_rates,
        case
            when ranks not in ('each', 'mean') then sliced(within, skip, take, skip_last)
            -- A window of each rank's own records.
            else flatten(list_transform(
                ranks_of(within), lambda r: sliced(list_filter(within, lambda x: x.rank = r), skip, take, skip_last)
            ))
        end as chosen,
        case
            when ranks not in ('each', 'mean') then 1
            when is_plain then least(found, 1)
            else len(ranks_of(within))
        end as windows
    from bounded
),
rated as (
    select
        * exclude (chosen, plain_rates),
        kind = 'summary' or coalesce(len(plain_rates), len(chosen)) is not distinct from take * windows or coalesce(
            chosen[-1].step = to_step
            and (quantity not in ('interval', 'round') or chosen[1].since = coalesce(after_step, chosen[1].since)),
            false
        ) as is_whole,
        case
            when is_plain then plain_rates
            -- The median over ranks was taken of rounded readings already.
            when reading_rounding is null or ranks = 'median'
                then list_transform(chosen, lambda x: per_second(x.value, x.steps, quantity))
            else list_transform(
                chosen,
                lambda x: per_second(rounded(x.value, reading_rounding, reading_rounding_digits), x.steps, quantity)
            )
        end as every_rate,
        case
            -- A printed speed or time is of one step.
            when average_of = 'times' and is_plain and (drops_some or ranks = 'mean')
                then list_transform(plain_rates, lambda x: 1.0::double)
            when average_of = 'times' then list_transform(chosen, lambda x: x.steps::double)
        end as volumes,
        case
            when ranks = 'mean' and is_plain then list_transform(plain_rates, lambda x: lowest_rank)
            when ranks = 'mean' then list_transform(chosen, lambda x: x.rank)
        end as rate_ranks
    from windowed
),
used as (
    select
        * exclude (every_rate) replace (
            case
                when drops_some and average_of = 'times' then list_transform(
                    list_filter(list_zip(volumes, every_rate), lambda x: x[2] > 0), lambda x: x[1]
                )
                else volumes
            end as volumes
        ),
        -- "last" looks for the last record first: a run that ends with 0 has no positive speed.
        case
            when statistic = 'last'
                then list_filter(list_slice(every_rate, -1, -1), lambda x: x > 0 or not positive_only)
            when drops_some then list_filter(every_rate, lambda x: x > 0)
            when positive_only then every_rate
            when statistic = 'trimmed' and len(every_rate) >= trim_from then sliced(list_sort(every_rate), trim, null, trim)
            else every_rate
        end as rates
    from rated
),
-- Here the lists end: what joins behind them would copy each.
averaged as (
    select
        * exclude (rates, volumes, rate_ranks),
        len(rates) as records_used,
        case
            when ranks = 'mean'
                then list_avg(list_transform(
                    list_sort(list_distinct(rate_ranks)),
                    lambda r: mean_of_rank(
                        list_filter(list_zip(rate_ranks, coalesce(volumes, rates), rates), lambda x: x[1] = r), average_of
                    )
                ))
            when average_of = 'times' and statistic = 'mean' and volumes is null
                then len(rates)::double / list_sum(list_transform(rates, lambda x: 1 / x))
            when average_of = 'times' and statistic = 'mean'
                then list_sum(volumes) / list_sum(list_transform(list_zip(volumes, rates), lambda x: x[1] / x[2]))
            when average_of = 'times' and statistic = 'median'
                then 1 / list_median(list_transform(rates, lambda x: 1 / x))
            when statistic = 'median' then list_median(rates)
            else list_avg(rates)
        end as rate
    from used
),
computed as (
    select
        run_id,
        rule,
        phase,
        yields as unit,
        case
            when mixture is null and (is_whole or not complete)
                then rounded(
                    case
                        when yields is not distinct from base_unit then rate * processes * share
                        when yields = 's' then conversion / (rate * processes)
                        when yields = 'min' then conversion / (rate * processes) / 60
                        else rate * processes * conversion * share
                    end,
                    rounding,
                    rounding_digits
                )
        end as value,
        records_used,
        seen - records_used as records_skipped,
        case
            when mixture is not null then 'mixed'
            when records_used = 0 or (complete and not is_whole) then 'too_few_records'
            when processes is null or conversion is null or share is null then 'missing_fact'
            when zero_fails and abs(value) < 1 then 'failed'
            else 'ok'
        end as status,
        case
            when mixture is not null then mixture
            when records_used = 0
                then format('{} usable of {} records; the rule skips {}', records_used, seen, skip)
            when complete and not is_whole
                then format('{} records in the window; the rule wants the whole of it', records_used)
            when processes is null or conversion is null or share is null then needed
            when zero_fails and abs(value) < 1 then 'its owner takes a result below 1 for a failure'
        end as reason,
        -- Of a run that was cut off no summary is known to be the last.
        is_whole and kind = 'step' as is_window_whole
    from averaged
)
select
    run_id, rule, phase, unit,
    -- What its owner calls a failure is no speed of nought.
    case when status <> 'failed' or value <> 0 then value end as value,
    records_used, records_skipped, status, reason, is_window_whole
from computed;
