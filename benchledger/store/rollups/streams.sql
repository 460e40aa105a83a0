-- What the rules read: streams of readings, each of all of a run's ranks, of its first, or in lanes, one for each rank.
-- Of a long stream only its ends are kept one by one, for the windows that skip or end there; a body lies between.

create or replace temp table stream as
select
    stream_id,
    any_value(run_id) as run_id,
    any_value(if(lanes = 'median', median_key, reading_key)) as reading_key,
    any_value(lanes) as lanes,
    any_value(lowest_rank) as lowest_rank,
    any_value(after_step) as after_step,
    any_value(to_step) as to_step,
    any_value(if(lanes = 'median', null, reading_rounding)) as reading_rounding,
    any_value(reading_rounding_digits) as reading_rounding_digits,
    any_value(lanes = 'median' or quantity = 'throughput') as is_speed,
    any_value(quantity in ('interval', 'round')) as is_timed,
    greatest(max(rule.skip + coalesce(rule.take, 0)), 1) as head,
    max(rule.skip_last) + 1 as tail,
    any_value(usable) > greatest($longest, head + tail) as is_long
from asked
join (select rule, skip, take, skip_last from rule) as rule using (rule)
group by stream_id;

create or replace temp view streamed as
select
    stream.stream_id,
    stream.is_long,
    stream.head,
    stream.tail,
    stream.to_step is not null as is_bounded,
    stream.is_timed,
    if(stream.lanes = 'each', coalesce(reading.rank, -1), -1) as lane,
    reading.place,
    reading.ordinal,
    reading.since,
    reading.step,
    -- An iteration that overflowed repeats its step number; it was computed all the same.
    if(stream.is_timed, greatest(reading.step - reading.since, 1), 1)::double as steps,
    case
        when stream.reading_rounding is null then reading.value
        else rounded(reading.value, stream.reading_rounding, stream.reading_rounding_digits)
    end as told,
    if(stream.is_speed, told, steps / told) as rate
from reading
join stream on stream.run_id = reading.run_id and stream.reading_key = reading.reading_key
where (stream.lanes <> 'first' or coalesce(reading.rank, -1) = stream.lowest_rank)
    -- Of an interval both ends lie within the window.
    and (
        coalesce(stream.after_step, stream.to_step) is null
        or reading.since >= coalesce(stream.after_step, reading.since)
            and reading.step <= coalesce(stream.to_step, reading.step)
    );

-- Filled for long streams (bodies.sql).
create or replace temp table body (
    stream_id bigint, lane integer, head_end bigint, tail_start bigint,
    every struct(records bigint, rates double, steps double, seconds double),
    positive struct(records bigint, rates double, steps double, seconds double)
);

create or replace temp table middle (
    stream_id bigint, skip bigint, skip_last bigint, positive_only boolean, statistic varchar, average_of varchar,
    value double
);
