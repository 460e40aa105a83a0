-- What the streams come to, each under the rule that asks for it.

insert into kept_speed
with windowed as (
    select
        asked.rowid as ask_id,
        asked.lanes,
        lane.lane,
        greatest(
            least(rule.skip + coalesce(rule.take, len(lane.rates)), len(lane.rates) - rule.skip_last), 0
        ) as until,
        list_slice(lane.rates, rule.skip + 1, until) as rates,
        list_slice(lane.steps, rule.skip + 1, until) as steps,
        list_slice(lane.seconds, rule.skip + 1, until) as seconds,
        list_slice(lane.since, rule.skip + 1, until)[1] as first_since,
        list_slice(lane.reached, rule.skip + 1, until)[-1] as last_step,
        -- A window without an end has all of what lies between the ends of a long stream.
        coalesce(if(rule.take is null and rule.statistic <> 'last', body.every.records, 0), 0) as passed,
        if(passed > 0, if(rule.positive_only, body.positive, body.every), null) as between,
        rule.average_of
    from asked
    join rule using (rule)
    left join lane using (stream_id)
    left join body on body.stream_id = lane.stream_id and body.lane = lane.lane
),
-- A window of each rank's own records.
each_lane as (
    select
        *,
        case
            when len(rates) + passed = 0 then null
            when average_of = 'times'
                then (coalesce(list_sum(steps), len(rates)) + coalesce(between.steps, 0))
                    / (coalesce(list_sum(coalesce(seconds, list_transform(rates, lambda x: 1 / x))), 0)
                        + coalesce(between.seconds, 0))
            else (coalesce(list_sum(rates), 0) + coalesce(between.rates, 0)) / (len(rates) + passed)
        end as mean
    from windowed
    where lanes = 'each'
),
window_of as (
    select
        ask_id, rates, steps, seconds, first_since, last_step, passed, between,
        1 as windows, null as mean_of_lanes
    from windowed
    where lanes <> 'each'
    union all
    select
        ask_id,
        flatten(list(rates order by lane)),
        flatten(list(steps order by lane) filter (steps is not null)),
        flatten(list(seconds order by lane) filter (seconds is not null)),
        first(first_since order by lane),
        last(last_step order by lane),
        sum(passed),
        if(sum(passed) > 0, {
            'records': sum(between.records), 'rates': sum(between.rates order by lane),
            'steps': sum(between.steps order by lane), 'seconds': sum(between.seconds order by lane)
        }, null),
        count(lane),
        list_avg(list(mean order by lane))
    from each_lane
    group by ask_id
),
used as (
    select
        asked.* exclude (after_step, to_step, reading_rounding, reading_rounding_digits),
        rule.skip,
        rule.ranks,
        rule.average_of,
        rule.statistic,
        rule.trim,
        rule.complete,
        rule.zero_fails,
        rule.rounding,
        rule.rounding_digits,
        asked.kind = 'summary' or coalesce(len(window_of.rates), 0) + passed is not distinct from rule.take * windows or coalesce(
            last_step = rule.to_step
            and (asked.quantity not in ('interval', 'round') or first_since = coalesce(rule.after_step, first_since)),
            false
        ) as is_whole,
        rule.statistic = 'trimmed' and len(window_of.rates) + passed >= rule.trim_from as is_trimmed,
        case
            -- "last" looks for the last record first: a run that ends with 0 has no positive speed.
            when rule.statistic = 'last'
                then list_filter(list_slice(window_of.rates, -1, -1), lambda x: x > 0 or not rule.positive_only)
            when rule.positive_only then list_filter(window_of.rates, lambda x: x > 0)
            when is_trimmed and window_of.between is null
                then list_slice(list_sort(window_of.rates), rule.trim + 1, len(window_of.rates) - rule.trim)
            else window_of.rates
        end as rates,
        window_of.steps,
        window_of.seconds,
        window_of.between,
        window_of.mean_of_lanes,
        middle.value as middle
    from asked
    join rule on rule.rule = asked.rule
    join window_of on window_of.ask_id = asked.rowid
    left join middle
        on middle.stream_id = asked.stream_id
        and rule.take is null
        and middle.skip = rule.skip
        and middle.skip_last = rule.skip_last
        and middle.positive_only = rule.positive_only
        and middle.statistic = rule.statistic
        and middle.average_of = rule.average_of
),
-- Here the lists end: what joins behind them would copy each.
averaged as (
    select
        * exclude (rates, steps, seconds),
        records - usable + found as seen,
        coalesce(len(rates), 0) + coalesce(between.records, 0)
            - if(is_trimmed and between is not null, 2 * trim, 0) as records_used,
        case
            when lanes = 'each' and ranks = 'mean' then mean_of_lanes
            when middle is not null then middle
            when records_used = 0 then null
            when average_of = 'times' and statistic = 'mean'
                then (coalesce(list_sum(steps), len(rates)) + coalesce(between.steps, 0))
                    / (coalesce(list_sum(coalesce(seconds, list_transform(rates, lambda x: 1 / x))), 0)
                        + coalesce(between.seconds, 0))
            when average_of = 'times' and statistic = 'median'
                then 1 / list_median(list_transform(rates, lambda x: 1 / x))
            when statistic = 'median' then list_median(rates)
            else (coalesce(list_sum(rates), 0) + coalesce(between.rates, 0)) / records_used
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
        if(isfinite(value), value, null) as value,
        records_used,
        seen - records_used as records_skipped,
        case
            when mixture is not null then 'mixed'
            when records_used = 0 or (complete and not is_whole) then 'too_few_records'
            when processes is null or conversion is null or share is null then 'missing_fact'
            when zero_fails and abs(value) < 1 or not isfinite(value) then 'failed'
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
            -- A speed of nought takes for ever.
            when not isfinite(value) then 'its records come to no finite number'
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
