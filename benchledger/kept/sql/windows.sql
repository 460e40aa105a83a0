-- In which readings rules count, and from which to which of them each rule looks.
-- reads: chunk_rule, reading_of_rule, alike, run_reading, reading
-- makes: question, rule_question, stream, judged_reading, stream_reading

-- Rules that ask the same of a stream of readings share the answer; questions that look at the same readings, their slice.
create or replace temp table question as
select
    row_number() over () as question, *, statistic = 'last' as is_last,
    dense_rank() over (order by skip, take, skip_last, positive_only, is_last) as slice
from (
    select
        skip, take, skip_last, positive_only, statistic, average_of, trim, trim_from, ranks = 'mean' as is_mean_of_lanes,
        list_sort(list(rule)) as rules
    from chunk_rule as rule
    group by all
);

create or replace temp table rule_question as
select like_run, like_stream, rule, phase, yields, question
from reading_of_rule
join (select question, unnest(rules) as rule from question) using (rule);

-- A stream is what some rules count in: a reading of all ranks, of the first, of each apart or the median of them; within
-- these steps; rounded so.
create or replace temp table stream as
with own as (
    select distinct
        like_run, like_stream, reading_key, quantity, lanes, after_step, to_step, reading_rounding, reading_rounding_digits
    from reading_of_rule
)
select
    own.*, run_id, records, usable, lowest_lane,
    (row_number() over ())::integer as stream_id,
    quantity in ('interval', 'round') as is_timed,
    coalesce(after_step, to_step) is not null as is_bounded
from own
join alike using (like_run)
join run_reading using (run_id, reading_key);

create or replace temp view judged_reading as
select
    stream_id, run_id, like_stream, lanes, is_speed, is_bounded, epoch, since, step, place, lane as own_lane,
    if(lanes = 'each', lane, -1) as lane,
    value,
    if(reading_rounding is null, value, rounded(value, reading_rounding, reading_rounding_digits)) as rounded_value,
    steps,
    times,
    per_second(rounded_value, steps, quantity) as rate,
    case
        when is_again then 'printed before'
        when not is_usable(value, is_speed, step) then 'no usable number'
        when lanes = 'first' and lane <> lowest_lane then 'of another rank'
        when lanes = 'median' and step is null then 'of no step'
        when is_bounded and lanes <> 'median' and not is_within(since, step, after_step, to_step)
            then 'outside the steps of the rule'
    end as dropped,
    after_step, to_step
from reading
join stream using (run_id, reading_key);

-- In this order, by one thread: of another one a sum differs in its last digit, and a rounded mean in its last decimal.
create or replace temp table stream_reading as
select
    stream_id, lane, place, if(is_bounded, since, null) as since, if(is_bounded, step, null) as step, steps, rate, times
from judged_reading
where lanes <> 'median' and dropped is null
order by stream_id, lane, place;
