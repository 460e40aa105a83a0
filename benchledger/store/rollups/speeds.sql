-- What the streams come to, each under the rule that asks for it: temp table answer has what was computed of each.

insert into kept_speed
with asking as (
    select
        stream.run_id,
        asked.kind,
        asked.phase,
        asked.rule,
        asked.base_unit,
        asked.yields,
        asked.mixture,
        asked.processes,
        asked.conversion,
        asked.share,
        asked.needed,
        rule.skip,
        rule.complete,
        rule.zero_fails,
        rule.rounding,
        rule.rounding_digits,
        stream.records - stream.usable + if(stream.is_median, coalesce(answer.found, 0), stream.usable) as seen,
        coalesce(answer.used, 0) as records_used,
        answer.rate,
        asked.kind = 'summary'
        or coalesce(answer.in_window, 0)
            is not distinct from rule.take * coalesce(answer.windows, if(stream.is_each, 0, 1))
        or coalesce(
            answer.last_step = rule.to_step
            and (
                asked.quantity not in ('interval', 'round')
                or answer.first_since = coalesce(rule.after_step, answer.first_since)
            ),
            false
        ) as is_whole
    from stream
    join asked using (stream_id)
    join rule on rule.rule = asked.rule
    left join answer on answer.stream = stream.stream and answer.question = asked.question
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
    from asking
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
