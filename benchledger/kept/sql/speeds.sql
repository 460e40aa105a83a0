-- The speed of each run of a chunk under each rule, as table kept.speed has it; `rate` is the statistic that it comes from.
-- reads: reading_of_rule, kept.rule, rule_question, stream, run, answer, lane
-- makes: speed_now

create or replace temp view speed_now as
with asking as (
    select
        stream.run_id, reading_of_rule.* replace (coalesce(mixed_run.reason, mixture) as mixture), rule.skip, rule.take, complete, zero_fails, rounding, rounding_digits,
        records - usable + if(reading_of_rule.lanes = 'median', coalesce(lane.found, 0), usable) as seen,
        coalesce(answer.records_used, 0) as records_used,
        rate,
        reading_of_rule.kind = 'summary'
        or coalesce(in_window, 0) is not distinct from rule.take * coalesce(lane.lanes, if(reading_of_rule.lanes = 'each', 0, 1))
        or coalesce(
            last_step = rule.to_step and (not is_timed or first_since = coalesce(rule.after_step, first_since)), false
        ) as is_whole
    from reading_of_rule
    join kept.rule using (rule)
    join (select distinct like_stream, rule, question from rule_question) as rule_question using (like_stream, rule)
    join stream using (like_stream)
    left join run as mixed_run on mixed_run.run_id = stream.run_id and mixed_run.status = 'ambiguous'
    left join answer on answer.stream_id = stream.stream_id and answer.question = rule_question.question
    left join (select stream_id, count(*) as lanes, sum(readings)::bigint as found from lane group by stream_id) as lane
        on lane.stream_id = stream.stream_id
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
    select *, rounded(unrounded, rounding, rounding_digits) as number
    from exact
),
judged as (
    select
        *,
        case
            when mixture is not null then 'ambiguous'
            when records_used = 0 or (complete and not is_whole) then 'too_few_records'
            when processes is null or conversion is null or share is null then 'missing_fact'
            when zero_fails and abs(number) < 1 or not isfinite(number) then 'failed'
            else 'ok'
        end as status
    from valued
)
select
    run_id,
    rule,
    phase,
    yields as unit,
    rate,
    -- What its owner calls a failure is no speed of nought.
    if(isfinite(number) and (status <> 'failed' or number <> 0), number, null) as value,
    records_used,
    seen - records_used as records_skipped,
    status,
    case status
        when 'ambiguous' then mixture
        when 'missing_fact' then needed
        -- A speed of nought takes for ever.
        when 'failed' then if(isfinite(number),
            'its owner takes a result below 1 for a failure', 'its records come to no finite number')
        when 'too_few_records' then if(records_used = 0,
            format('{} usable of {} records; the rule skips {}', records_used, seen, skip),
            format('{} records in the window; the rule wants the whole of it', records_used))
    end as reason,
    -- Of a run that was cut off no summary is known to be the last.
    is_whole and kind = 'step' as is_window_whole
from judged;
