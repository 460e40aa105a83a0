-- What the readings come to, each under the rule that asks for it.

insert into kept_speed
with applied as (
    select
        asked.* exclude (ranks, nth_rule),
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
    join rule on rule.rule = asked.rule and asked.nth_rule between $first and $last
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
            when statistic = 'trimmed' and len(every_rate) >= trim_from 
                then list_slice(list_sort(every_rate), trim + 1, greatest(len(every_rate) - trim, 0))
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
-- Apart from what is made of it: a macro repeats what it is given, and each copy has to be planned.
exact as (
    select
        *,
        case
            when mixture is not null or (complete and not is_whole) then null
            when yields is not distinct from base_unit then rate * processes * share
            when yields = 's' then conversion / (rate * processes)
            when yields = 'min' then conversion / (rate * processes) / 60
            else rate * processes * conversion * share
        end as unrounded
    from averaged
),
valued as (
    select *, rounded(unrounded, rounding, rounding_digits) as value
    from exact
),
computed as (
    select
        run_id,
        rule,
        phase,
        yields as unit,
        value,
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
    from valued
)
select
    run_id, rule, phase, unit,
    -- What its owner calls a failure is no speed of nought.
    case when status <> 'failed' or value <> 0 then value end as value,
    records_used, records_skipped, status, reason, is_window_whole
from computed;
