-- What the rules read, of each run: streams of its readings.

create or replace temp table stream as
with own as (
    select
        stream_id,
        any_value(like_run) as like_run,
        any_value(reading_key) as reading_key,
        any_value(lanes) as lanes,
        any_value(after_step) as after_step,
        any_value(to_step) as to_step,
        any_value(reading_rounding) as reading_rounding,
        any_value(reading_rounding_digits) as reading_rounding_digits,
        any_value(quantity) as quantity,
        greatest(max(rule.skip + coalesce(rule.take, 0)), 1) as head,
        max(rule.skip_last) + 1 as tail
    from asked
    join (select rule, skip, take, skip_last from rule) as rule using (rule)
    group by stream_id
)
select
    row_number() over () as stream,
    listed.run_id,
    own.stream_id,
    own.reading_key,
    listed.records,
    listed.usable,
    listed.lowest_rank,
    own.after_step,
    own.to_step,
    own.reading_rounding,
    own.reading_rounding_digits,
    own.head,
    own.tail,
    own.lanes = 'median' as is_median,
    own.lanes = 'first' as is_first,
    own.lanes = 'each' as is_each,
    own.reading_rounding is not null as is_rounded,
    coalesce(own.after_step, own.to_step) is not null as is_bounded,
    own.quantity = 'throughput' as is_printed_speed,
    own.lanes = 'median' or own.quantity = 'throughput' as is_speed,
    own.quantity in ('interval', 'round') as is_timed,
    listed.usable > greatest($longest, head + tail) as is_long
from own
join alike using (like_run)
join listed on listed.run_id = alike.run_id and listed.reading_key = own.reading_key;
