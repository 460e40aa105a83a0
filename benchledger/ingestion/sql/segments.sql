-- The segments that arrive, with what all parts of their records say.
insert into segment by name
with following as (
    -- From the last step of one part to the first of the next is a gap like those within.
    select
        log_id, segment, step_gap, first_step - lag(last_step) over (partition by log_id, segment order by first_offset) as gap
    from segment_part
    where first_step is not null
),
gaps as (
    select log_id, segment, greatest(max(step_gap), max(gap) filter (gap > 0)) as step_gap
    from following
    group by all
),
whole as (
    select
        log_id, segment,
        min(started_at) as started_at, max(ended_at) as ended_at,
        sum(records)::bigint as records, sum(step_records)::bigint as step_records,
        max(steps_done) as steps_done,
        arg_max(closing_line, first_offset) as closing_line,
        arg_max(closing_speed, first_offset) as closing_speed,
        arg_max(final_loss_nan, first_offset) as final_loss_nan,
        list_sort(flatten(list(moments) filter (moments is not null)))[1:16] as moments,
        flatten(list(losses order by first_offset) filter (losses is not null))[1:16] as losses,
        list_sort(list_distinct(flatten(list(devices) filter (devices is not null)))) as devices
    from segment_part
    group by all
)
select
    a.log_id, a.segment, a.role, a.first_line, a.last_line, a.first_record_line, a.last_record_line,
    w.started_at, w.ended_at, w.records, w.step_records, w.steps_done, g.step_gap,
    w.closing_line, w.closing_speed, a.expects_closing,
    coalesce(w.final_loss_nan, false) as final_loss_nan,
    a.event_status, a.event_line, a.event_text,
    list_transform(w.moments, lambda t: epoch_us(t)) as stream, w.losses, w.devices
from arriving_segment as a
join whole as w using (log_id, segment)
left join gaps as g using (log_id, segment);
