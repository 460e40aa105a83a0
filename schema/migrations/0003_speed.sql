-- Speed -------------------------------------------------------------------------------------------------------

-- The two ways to say how fast a step was: so much a second, or so many seconds. Each is the other's reciprocal.
create macro per_second(value, steps, quantity) as
    case when quantity = 'throughput' then value else steps / value end;

-- MLPerf's mean: without the `fewest` lowest and as many highest, of which those that gave no number are some already.
create macro olympic_mean(numbers, fewest, without) as
    case
        when without <= fewest
            then list_avg(list_slice(list_sort(numbers), fewest + 1, len(numbers) - (fewest - without)))
    end;

-- Of a list the part that a window takes: without the `first` and the `last` so many, and no more than `most`.
create macro sliced(items, "first", most, "last") as
    list_slice(items, "first" + 1, greatest(least("first" + coalesce(most, len(items)), len(items) - "last"), 0));

create macro ranks_of(readings) as list_sort(list_distinct(list_transform(readings, lambda x: x.rank)));

-- The mean of one rank's speeds, each a tuple of rank, steps and speed: of the speeds, or all steps over all seconds.
create macro mean_of_rank(speeds, average_of) as
    case
        when average_of = 'times'
            then list_sum(list_transform(speeds, lambda x: x[2]))
                / list_sum(list_transform(speeds, lambda x: x[2] / x[3]))
        else list_avg(list_transform(speeds, lambda x: x[3]))
    end;

-- A run whose logs have several formats takes that of the smallest log id, so that loading order does not matter.
-- A run of which only a manifest is known takes the format of its implementation, so that it is missing from the table
-- in which it would stand.
create view run_format as
with own as (
    select run_source.run_id, arg_min(log.format, log.log_id) as format, bool_and(role = 'manifest') as logless
    from run_source
    join log using (log_id)
    group by run_source.run_id
),
logless as (
    select own.run_id, bench_case.framework, bench_case.implementation, bench_case.model, bench_case.task
    from own
    join run using (run_id)
    join bench_case using (case_id)
    where own.logless
),
sibling as (
    -- An implementation may have a program for each model: runs of the same work tell which.
    select logless.run_id, min(own.format) as format
    from logless
    join bench_case
        on bench_case.framework is not distinct from logless.framework
        and bench_case.implementation = logless.implementation
        and bench_case.model = logless.model
        and bench_case.task is not distinct from logless.task
    join run using (case_id)
    join own on own.run_id = run.run_id and not own.logless
    join format on format.format = own.format
    where format.default_rule is not null
    group by logless.run_id
    having count(distinct format.default_rule) = 1
),
alike as (
    select logless.run_id, min(format.format) as format
    from logless
    join format
        on format.framework is not distinct from logless.framework
        and format.implementation = logless.implementation
    where format.role in ('train', 'duplicate_stream') and format.default_rule is not null
    group by logless.run_id
    having count(distinct format.default_rule) = 1
)
select own.run_id, coalesce(sibling.format, alike.format, own.format) as format
from own
left join sibling using (run_id)
left join alike using (run_id);

-- A format's default rule, and what stands in for it where it gives no number.
create view default_rule as
with recursive chain(format, rule, place) as (
    select format, default_rule, 1
    from format
    where default_rule is not null
    union
    select chain.format, rule.fallback, chain.place + 1
    from chain
    join rule using (rule)
    where rule.fallback is not null and chain.place < 10
)
select format, rule, min(place) as place
from chain
group by format, rule;

-- What a run's speed is made of: every speed and step time that it prints, and the time from step to step.
create view run_reading as
with printable as (
    select shape_id, ordinal, kind, phase, quantity, unit, name, scope
    from shape
    where quantity in ('throughput', 'step_time', 'epoch_time') and kind in ('step', 'summary')
),
printed as (
    select
        record.run_id,
        printable.kind,
        printable.phase,
        printable.quantity,
        printable.unit,
        printable.name,
        printable.scope,
        list_sort(list({
            'part': record.part,
            'log_id': record.log_id,
            'byte_offset': record.byte_offset,
            'ordinal': printable.ordinal,
            'rank': coalesce(record.rank, -1),
            'since': record.step - 1,
            'step': record.step,
            'steps': 1,
            'value': record."values"[printable.ordinal]
        }) filter (
            where isfinite(record."values"[printable.ordinal])
                and (printable.quantity = 'throughput' or record."values"[printable.ordinal] > 0)
        )) as readings,
        count(*) as records,
        min(coalesce(record.rank, -1)) as lowest_rank
    from run_record as record
    join printable using (shape_id)
    where record."values"[printable.ordinal] is not null
    group by all
),
speaking as (
    select run_id
    from printed
    where kind = 'step'
        and phase = 'train'
        and (quantity = 'step_time' or unit is null or unit in ('samples/s', 'tokens/s', 'steps/s'))
),
-- Intervals are made where nothing else tells a step's speed, or a rule asks for them.
timed_run as (
    select run_format.run_id
    from run_format
    anti join speaking using (run_id)
    union
    select run_format.run_id
    from run_format
    join (select unnest(coalesce(formats, [null])) as format from rule where quantity = 'interval') as asking
        on coalesce(asking.format, run_format.format) = run_format.format
),
clock as (
    select distinct shape_id
    from shape
    where kind = 'step' and phase = 'train'
),
interval as (
    select
        record.run_id,
        record.part,
        record.log_id,
        record.byte_offset,
        coalesce(record.rank, -1) as rank,
        lag(record.step) over earlier as since,
        record.step,
        coalesce(
            (epoch_us(record.logged_at) - epoch_us(lag(record.logged_at) over earlier)) / 1e6,
            record.clock_s - lag(record.clock_s) over earlier
        ) as seconds
    from run_record as record
    semi join clock using (shape_id)
    semi join timed_run using (run_id)
    window earlier as (
        partition by record.run_id, coalesce(record.rank, -1) order by record.part, record.log_id, record.byte_offset
    )
),
-- Where each rank prints a line, a round is one of each: of so many records as there are ranks the last, in the order of
-- the lines. Some scripts count these.
line as (
    select
        record.run_id,
        record.part,
        record.log_id,
        record.byte_offset,
        record.step,
        record.logged_at,
        record.clock_s,
        row_number() over (partition by record.run_id order by record.part, record.log_id, record.byte_offset) as nth,
        count(distinct coalesce(record.rank, -1)) over (partition by record.run_id) as ranks
    from run_record as record
    semi join clock using (shape_id)
    join run_format using (run_id)
    semi join (select unnest(coalesce(formats, [null])) as format from rule where quantity = 'round') as asking
        on coalesce(asking.format, run_format.format) = run_format.format
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
    from run_record as record
    join run_format using (run_id)
    join asked_span
        on coalesce(asked_span.format, run_format.format) = run_format.format
        and record.label in (asked_span.from_label, asked_span.to_label)
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
)
select
    run_id,
    kind,
    phase,
    quantity,
    unit,
    name,
    scope,
    coalesce(readings, []) as readings,
    records - len(coalesce(readings, [])) as dropped,
    lowest_rank
from printed
union all
select
    run_id,
    'step',
    'train',
    quantity,
    's',
    null,
    'global',
    coalesce(list_sort(list({
        'part': part,
        'log_id': log_id,
        'byte_offset': byte_offset,
        'ordinal': 0,
        'rank': rank,
        'since': since,
        'step': step,
        -- An iteration that overflowed repeats its step number; it was computed all the same.
        'steps': greatest(step - since, 1),
        'value': seconds
    }) filter (where seconds > 0)), []),
    count(*) filter (where seconds <= 0),
    min(rank)
from (
    select 'interval' as quantity, run_id, part, log_id, byte_offset, rank, since, step, seconds
    from interval
    where step >= since
    union all
    select 'round', run_id, part, log_id, byte_offset, -1, since, step, seconds
    from round
    where since is not null and step is not null
)
where seconds is not null
group by run_id, quantity
union all
select
    run_id,
    'summary',
    'train',
    'span',
    's',
    name,
    'global',
    if(seconds > 0, [{
        'part': stop.part,
        'log_id': stop.log_id,
        'byte_offset': stop.byte_offset,
        'ordinal': 0,
        'rank': -1,
        'since': null,
        'step': null,
        'steps': 1,
        'value': seconds
    }], []),
    if(seconds > 0, 0, 1),
    -1
from span
where seconds is not null;

create view run_speed as
with listed as (
    select
        *,
        coalesce(unit, '') as unit_key,
        coalesce(scope, '') as scope_key,
        coalesce(name, '') as name_key,
        list_transform(readings, lambda x: per_second(x.value, x.steps, quantity)) as rates
    from run_reading
),
told as (
    -- Apart from the lists, which each window would copy.
    select
        run_id,
        kind,
        phase,
        quantity,
        unit_key,
        name_key,
        scope_key,
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
        row_number() over (partition by run_id, kind, phase, quantity, unit order by name, scope) as nth,
        row_number() over (partition by run_id, kind, phase, quantity, unit, name order by scope) as nth_of_name,
        min(name) over of_unit as one_name,
        max(name) over of_unit as other_name
    from (
        select
            * exclude (readings, rates),
            quantity = 'throughput' and (unit is null or unit in ('samples/s', 'tokens/s', 'steps/s')) as speaks
        from listed
    )
    window
        of_kind as (partition by run_id, kind, phase),
        of_quantity as (partition by run_id, kind, phase, quantity),
        of_unit as (partition by run_id, kind, phase, quantity, unit),
        of_name as (partition by run_id, kind, phase, quantity, unit, name)
),
-- Two joins by equality: one with "or" would compare every reading with every rule.
applicable as (
    select told.*, rule.rule
    from told
    join rule using (kind)
    where rule.formats is null
    union all
    select told.*, own.rule
    from told
    join run_format using (run_id)
    join (select rule, kind, unnest(formats) as format from rule) as own
        on own.kind = told.kind and own.format = run_format.format
),
reading as (
    select
        listed.* exclude (unit_key, scope_key, name_key),
        applicable.with_unit,
        applicable.scopes,
        applicable.one_name,
        applicable.other_name,
        rule.* exclude (source, "window", description, formats, kind, name, quantity, unit),
        rule.name as name_wanted,
        rule.unit as unit_wanted
    from applicable
    join rule on rule.rule = applicable.rule
    join listed
        on listed.run_id = applicable.run_id
        and listed.kind = applicable.kind
        and listed.quantity = applicable.quantity
        and listed.unit_key = applicable.unit_key
        and listed.name_key = applicable.name_key
        and listed.scope_key = applicable.scope_key
    where applicable.phase is not distinct from listed.phase
        and (rule.name is null or rule.name = listed.name)
        and case when rule.quantity is null then is_first_choice else rule.quantity = listed.quantity end
        and case when rule.name is null then nth else nth_of_name end = 1
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
    from run_record as record
    join shape using (shape_id)
    join run_format using (run_id)
    join rule
        on rule.quantity = shape.quantity
        and rule.kind = shape.kind
        and rule.ranks = 'median'
        and (rule.name is null or rule.name = shape.name)
        and (rule.formats is null or list_contains(rule.formats, run_format.format))
    where isfinite(record."values"[shape.ordinal])
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
        unit,
        name,
        scope,
        list_sort(list({
            'part': place.part, 'log_id': place.log_id, 'byte_offset': place.byte_offset, 'ordinal': 0, 'rank': -1,
            'since': step - 1, 'step': step, 'steps': 1, 'value': per_second(rate, 1, quantity)
        })) as readings
    from rank_median
    group by run_id, rule, kind, phase, unit, name, scope
),
applied as (
    select
        reading.* exclude (readings, rates, name, lowest_rank, with_unit, scopes, one_name, other_name),
        case when quantity = 'throughput' then reading.unit else 'steps/s' end as base_unit,
        case
            when unit_wanted is not null then unit_wanted
            when quantity = 'throughput' then reading.unit
            else 'samples/s'
        end as yields,
        case
            when reading.unit is null and with_unit > 0
                then 'no unit is known for these records; others of this run have one'
            when name_wanted is null and one_name <> other_name
                then format('{} goes by several names: {}, {}', replace(quantity, '_', ' '), one_name, other_name)
            when scopes > 1 then 'throughput is per GPU in some records and global in others'
        end as mixture,
        -- Most rules need no more than the speeds in their order; structs cost five times as much.
        ranks = 'all'
        and average_of = 'rates'
        and coalesce(after_step, to_step) is null
        and reading_rounding is null as is_plain,
        case when is_plain then rates end as all_rates,
        case
            when is_plain then null
            when ranks = 'median' then coalesce(stepwise.readings, [])
            when ranks = 'first' then list_filter(reading.readings, lambda x: x.rank = lowest_rank)
            else reading.readings
        end as candidates,
        case when ranks = 'median' then coalesce(len(stepwise.readings), 0) else len(reading.readings) end as found
    from reading
    left join stepwise
        on stepwise.run_id = reading.run_id
        and stepwise.rule = reading.rule
        and stepwise.phase is not distinct from reading.phase
        and stepwise.unit is not distinct from reading.unit
        and stepwise.name = reading.name
        and stepwise.scope is not distinct from reading.scope
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
        sliced(all_rates, skip, take, skip_last) as plain_rates,
        case
            when ranks not in ('each', 'mean') then sliced(within, skip, take, skip_last)
            -- A window of each rank's own records.
            else flatten(list_transform(
                ranks_of(within), lambda r: sliced(list_filter(within, lambda x: x.rank = r), skip, take, skip_last)
            ))
        end as chosen,
        case when ranks in ('each', 'mean') then len(ranks_of(within)) else 1 end as windows
    from bounded
    where yields is not distinct from base_unit
        or (base_unit = 'steps/s' and yields in ('samples/s', 'tokens/s', 's', 'min', 'TFLOP/s'))
        or (base_unit = 'samples/s' and yields in ('tokens/s', 's'))
        or (base_unit = 'tokens/s' and yields in ('samples/s', 's'))
),
stated as (
    select run_id, min(try_cast(value as double)) as params_b
    from fact
    where name = 'params_b' and used
    group by run_id
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
        case when average_of = 'times' then list_transform(chosen, lambda x: x.steps::double) end as volumes,
        case when ranks = 'mean' then list_transform(chosen, lambda x: x.rank) end as rate_ranks
    from windowed
),
used as (
    select
        * exclude (every_rate) replace (
            case
                when positive_only and average_of = 'times' then list_transform(
                    list_filter(list_zip(volumes, every_rate), lambda x: x[2] > 0), lambda x: x[1]
                )
                else volumes
            end as volumes
        ),
        -- "last" looks for the last record first: a run that ends with 0 has no positive speed.
        case
            when statistic = 'last'
                then list_filter(list_slice(every_rate, -1, -1), lambda x: x > 0 or not positive_only)
            when positive_only then list_filter(every_rate, lambda x: x > 0)
            when statistic = 'trimmed' and len(every_rate) >= trim_from then sliced(list_sort(every_rate), trim, null, trim)
            else every_rate
        end as rates
    from rated
),
counted as (
    select
        used.*,
        len(rates) as records_used,
        case
            when ranks = 'mean'
                then list_avg(list_transform(
                    list_sort(list_distinct(rate_ranks)),
                    lambda r: mean_of_rank(
                        list_filter(list_zip(rate_ranks, coalesce(volumes, rates), rates), lambda x: x[1] = r), average_of
                    )
                ))
            when average_of = 'times' and statistic = 'mean'
                then list_sum(volumes) / list_sum(list_transform(list_zip(volumes, rates), lambda x: x[1] / x[2]))
            when average_of = 'times' and statistic = 'median'
                then 1 / list_median(list_transform(rates, lambda x: 1 / x))
            when statistic = 'median' then list_median(rates)
            else list_avg(rates)
        end as rate,
        case
            when quantity <> 'throughput' then 1
            when scope = 'gpu' then bench_case.gpus
            when scope = 'node' then bench_case.nodes
            -- Of one GPU, the speed per GPU is the global one.
            when scope = 'global' or bench_case.gpus = 1 then 1
        end as processes,
        case
            when quantity <> 'throughput' and unit is distinct from 's' then null
            when yields is not distinct from base_unit or base_unit = 'steps/s' and yields in ('s', 'min') then 1
            when yields = 's'
                then bench_case.global_batch_size * case base_unit when 'tokens/s' then bench_case.seq_len else 1 end
            -- 8 FLOP a parameter and token, forward twice (activations are computed again) and backward.
            when yields = 'TFLOP/s'
                then 8 * stated.params_b * bench_case.global_batch_size * bench_case.seq_len / 1000
            when base_unit = 'steps/s'
                then case used.batch when 'pass' then bench_case.batch_size_per_gpu * bench_case.gpus
                    else bench_case.global_batch_size end
                    * case yields when 'tokens/s' then bench_case.seq_len else 1 end
            when base_unit = 'tokens/s' then 1 / bench_case.seq_len
            else bench_case.seq_len
        end as conversion,
        -- As some owners publish it: of one GPU, or of all steps of the window in the time of one.
        case used.volume when 'window' then take else 1 end
        / case used.per when 'gpu' then bench_case.gpus else 1 end as share,
        case
            when quantity = 'throughput' and scope = 'gpu' and bench_case.gpus is null then 'gpus'
            when quantity = 'throughput' and scope = 'node' and bench_case.nodes is null then 'nodes'
            when quantity = 'throughput' and scope is null and bench_case.gpus is distinct from 1 then 'scope'
            when quantity <> 'throughput' and unit is distinct from 's' then 'unit'
            when (base_unit = 'steps/s' and used.batch = 'global' or base_unit <> 'steps/s' and yields = 's')
                and bench_case.global_batch_size is null
                then 'global_batch_size'
            when base_unit = 'steps/s' and used.batch = 'pass' and bench_case.batch_size_per_gpu is null
                then 'batch_size_per_gpu'
            when base_unit = 'steps/s' and used.batch = 'pass' and bench_case.gpus is null then 'gpus'
            when base_unit = 'steps/s' and yields = 'TFLOP/s' and stated.params_b is null then 'params_b'
            when used.per = 'gpu' and bench_case.gpus is null then 'gpus'
            else 'seq_len'
        end as needed
    from used
    join run using (run_id)
    join bench_case using (case_id)
    left join stated using (run_id)
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
        found + dropped - records_used as records_skipped,
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
                then format('{} usable of {} records; the rule skips {}', records_used, found + dropped, skip)
            when complete and not is_whole
                then format('{} records in the window; the rule wants the whole of it', records_used)
            when processes is null or conversion is null or share is null then needed
            when zero_fails and abs(value) < 1 then 'its owner takes a result below 1 for a failure'
        end as reason,
        -- Of a run that was cut off no summary is known to be the last.
        is_whole and kind = 'step' as is_window_whole
    from counted
    -- Of two readings that both lead to the rule's unit the one that is printed in it; throughput before times.
    qualify row_number() over (
        partition by run_id, rule, phase, yields
        order by yields is not distinct from base_unit desc, quantity desc, unit
    ) = 1
),
answered as (
    -- What its owner calls a failure is no speed of nought.
    select * replace (case when status <> 'failed' or value <> 0 then value end as value)
    from computed
    union all
    -- A run without any throughput is still a row of its default rule: a failed run is a status, never nothing.
    select
        run_format.run_id,
        format.default_rule,
        'train',
        null,
        null,
        0,
        0,
        'too_few_records',
        'its records have nothing that ' || format.default_rule || ' reads',
        false
    from run_format
    join format using (format)
    anti join (
        select run_id, rule
        from computed
        where phase = 'train'
    ) as spoken on spoken.run_id = run_format.run_id and spoken.rule = format.default_rule
    where format.default_rule is not null
)
select
    answered.run_id,
    run.case_id,
    answered.rule,
    -- The first rule of the format's chain that gives a number; if none does, the first.
    coalesce(default_rule.place = coalesce(
        min(default_rule.place) filter (where answered.value is not null)
            over (partition by answered.run_id, answered.phase),
        1
    ), false) as is_default,
    answered.phase,
    answered.value,
    answered.unit,
    answered.records_used,
    answered.records_skipped,
    case when run.status in ('ok', 'unknown') then answered.status else run.status end as status,
    case when run.status in ('ok', 'unknown') then answered.reason else run.reason end as reason,
    answered.phase = 'train'
    and answered.status = 'ok'
    and (
        run.status in ('ok', 'unknown')
        -- A run that was cut off after all that the rule asks for counts, unless its manifest says that it failed.
        or (run.status = 'truncated' and coalesce(answered.is_window_whole, false) and coalesce(run.exit_code, 0) = 0)
    ) as is_trial
from answered
join run using (run_id)
join run_format using (run_id)
left join default_rule on default_rule.format = run_format.format and default_rule.rule = answered.rule;

create view speed_table as
with doubt as (
    select run_id, count(*) as conflicts
    from conflict
    group by run_id
),
size as (
    select series_run.series_id, count(*) as runs, coalesce(sum(doubt.conflicts), 0)::bigint as conflicts
    from series_run
    left join doubt using (run_id)
    group by series_run.series_id
),
trial as (
    select
        series_run.series_id,
        series_run.trial,
        run_speed.run_id,
        run_speed.rule,
        -- A series has one default: of its format's chain the first rule that gives it a number. Runs for which only
        -- a later one does are dropped there, visibly, rather than mixed in.
        coalesce(default_rule.place = coalesce(
            min(default_rule.place) filter (where run_speed.is_trial and run_speed.value is not null)
                over (partition by series_run.series_id, run_format.format),
            1
        ), false) as is_default,
        run_speed.value,
        run_speed.unit,
        run_speed.status,
        run_speed.is_trial
    from series_run
    join run_speed using (run_id)
    join run_format using (run_id)
    left join default_rule on default_rule.format = run_format.format and default_rule.rule = run_speed.rule
    where run_speed.phase = 'train'
),
cell as (
    select
        series_id,
        rule,
        unit,
        bool_or(is_default) as is_default,
        list_sort(
            list({'trial': trial, 'run_id': run_id, 'value': value}) filter (where is_trial)
        ) as trials
    from trial
    where unit is not null or value is not null
    group by series_id, rule, unit
),
dropped as (
    -- The most frequent status, of several the first by name.
    select series_id, rule, bool_or(is_default) as is_default, min({'fewer': -runs, 'status': status}).status as status
    from (
        select series_id, rule, status, bool_or(is_default) as is_default, count(*) as runs
        from trial
        where not is_trial
        group by series_id, rule, status
    )
    group by series_id, rule
),
-- What owners say that a result is to be multiplied by; a series whose runs are not all told the same has no number.
factor as (
    select
        series_run.series_id,
        rule.rule,
        count(*) as runs,
        case when count(distinct fact.value) = 1 then min(try_cast(fact.value as double)) end as times
    from rule
    join fact on fact.name = rule.trial_factor and fact.used
    join series_run using (run_id)
    group by series_run.series_id, rule.rule
),
every_cell as (
    select cell.series_id, cell.rule, cell.unit, cell.is_default, cell.trials, dropped.status
    from cell
    left join dropped using (series_id, rule)
    union all
    select dropped.series_id, dropped.rule, null, dropped.is_default, null, dropped.status
    from dropped
    anti join cell using (series_id, rule)
),
counted as (
    select
        *,
        list_transform(coalesce(trials, []), lambda x: x.value) as speeds,
        list_transform(coalesce(trials, []), lambda x: x.run_id) as trial_runs
    from every_cell
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
    counted.rule,
    counted.is_default,
    rounded(
        case
            when rule.trial_statistic = 'median' then list_median(counted.speeds)
            when rule.trial_statistic = 'olympic'
                then olympic_mean(counted.speeds, rule.trial_drop, size.runs - len(counted.speeds))
            when rule.trial_count_offset > 0
                then list_sum(counted.speeds) / (len(counted.speeds) + rule.trial_count_offset)
            else list_avg(counted.speeds)
        end
        * case when factor.runs is null then 1 when factor.runs = size.runs then factor.times end,
        rule.trial_rounding,
        rule.trial_rounding_digits
    ) as value,
    counted.unit,
    len(counted.speeds) as trials,
    size.runs - len(counted.speeds) as trials_dropped,
    list_min(counted.speeds) as lowest,
    list_max(counted.speeds) as highest,
    case when len(counted.speeds) > 1 then list_stddev_samp(counted.speeds) end as stdev,
    size.conflicts,
    -- Of too few trials an owner's statistic may make no number.
    case
        when len(counted.speeds) = 0 then counted.status
        when factor.runs <> size.runs or (factor.runs > 0 and factor.times is null) then 'mixed'
        when value is null then 'too_few_trials'
        else 'ok'
    end as status,
    series.gpu_memory_mib,
    series.framework_version,
    series.implementation_version,
    series.mixed,
    counted.trial_runs,
    cell_key('s', [series.series_id::varchar, counted.rule, counted.unit]) as cell
from counted
join series using (series_id)
join size using (series_id)
join bench_case using (case_id)
join rule using (rule)
left join factor on factor.series_id = counted.series_id and factor.rule = counted.rule;

-- What a number is made of -------------------------------------------------------------------------------------

create view trial_table as
with seen as (
    select
        run_source.run_id,
        sighting.campaign,
        -- Appended to, a log is one run's in two parts: the first is shown.
        min({
            'place': place_of(path, archive, member),
            'first_line': run_source.first_line,
            'last_line': run_source.last_line
        }) as place
    from run_source
    join sighting using (log_id)
    where sighting.status in ('loaded', 'duplicate')
    group by run_source.run_id, sighting.campaign
),
-- The same log can lie in two campaigns: a number leads to its own.
placed as (
    select run_campaign.run_id, run_campaign.campaign, coalesce(min(here.place), min(seen.place)) as seen
    from run_campaign
    join seen on seen.run_id = run_campaign.run_id
    left join seen as here on here.run_id = run_campaign.run_id and here.campaign is not distinct from run_campaign.campaign
    group by run_campaign.run_id, run_campaign.campaign
)
select
    speed_table.cell,
    speed_table.series_id,
    speed_table.campaign,
    speed_table.name,
    speed_table.framework,
    speed_table.implementation,
    speed_table.model,
    speed_table.task,
    speed_table.precision,
    speed_table.batch_size_per_gpu,
    speed_table.nodes,
    speed_table.gpus,
    speed_table.gpu_model,
    speed_table.rule,
    speed_table.is_default,
    speed_table.value as series_value,
    series_run.trial,
    run.run_id,
    run.run_key,
    run_speed.value,
    speed_table.unit,
    run_speed.is_trial as counts,
    run_speed.records_used,
    run_speed.records_skipped,
    run_speed.status,
    run_speed.reason,
    placed.seen.place as place,
    placed.seen.first_line as first_line,
    placed.seen.last_line as last_line
from speed_table
join series_run using (series_id)
join run_speed
    on run_speed.run_id = series_run.run_id and run_speed.rule = speed_table.rule and run_speed.phase = 'train'
join run on run.run_id = series_run.run_id
left join placed on placed.run_id = run.run_id and placed.campaign is not distinct from speed_table.campaign
where run_speed.unit is not distinct from speed_table.unit or run_speed.value is null
-- That it has no number in another unit is told of a run only where it says nothing in the cell's own.
qualify row_number() over (
    partition by speed_table.cell, run_speed.run_id
    order by run_speed.unit is distinct from speed_table.unit, run_speed.unit
) = 1;
