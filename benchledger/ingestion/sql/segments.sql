-- What each segment that arrives says of its run's beginning, steps and end, from its records.
create or replace temp table arriving_row as
with part as (
    -- A line on which one run ends and the next begins belongs to the next.
    select
        *, coalesce(lead(first_line) over (partition by log_id order by first_line, segment) - 1, last_line) as until_line
    from arriving_segment
)
select
    s.log_id, s.segment, r.byte_offset, r.line, r.shape_id, r.step, r.device, r.logged_at, r."values", r.texts, k.kind
from arriving_record as r
join (
    -- Steps of a validation are no steps of the training.
    select distinct shape_id, if(kind = 'step' and phase <> 'train', 'other', kind) as kind from shape where ordinal = 1
) as k using (shape_id)
join part as s on s.log_id = r.log_id and r.line between s.first_line and s.until_line;

insert into segment by name
with step_row as (
    select
        log_id, segment, byte_offset, step,
        step - lag(step) over (partition by log_id, segment order by byte_offset) as gap
    from arriving_row
    where kind = 'step' and step is not null
),
steps as (
    select
        log_id, segment, max(step) as steps_done,
        max(gap) filter (gap > 0) as step_gap
    from step_row
    group by all
),
loss_row as (
    select
        r.log_id, r.segment, r.byte_offset, bool_or(isnan(r."values"[s.ordinal])) as is_nan, arg_min(r."values"[s.ordinal], s.ordinal) as value
    from arriving_row as r
    join shape as s using (shape_id)
    where s.quantity = 'loss' and s.phase = 'train' and r."values"[s.ordinal] is not null
    group by all
),
losses as (
    select
        log_id, segment, arg_max(is_nan, byte_offset) as final_loss_nan,
        arg_min(value, byte_offset, 16) as losses
    from loss_row
    group by all
),
closings as (
    select
        r.log_id, r.segment,
        arg_max(r.line, r.byte_offset) as closing_line,
        arg_max(r."values"[s.ordinal], r.byte_offset) as closing_speed
    from arriving_row as r
    join shape as s using (shape_id)
    join arriving_segment as a on a.log_id = r.log_id and a.segment = r.segment and list_contains(string_split(a.closing, chr(10)), s.name)
    -- The words alone may say it: a text, or a record without values.
    where r."values"[s.ordinal] is not null or r.texts[s.ordinal] is not null or s.name = s.record
    group by all
),
whole as (
    select
        log_id, segment,
        min(logged_at) as started_at, max(logged_at) as ended_at,
        count(*) as records, count(*) filter (kind = 'step') as step_records,
        list_transform(min(logged_at, 16), lambda t: epoch_us(t)) as stream,
        list_sort(list(distinct device) filter (kind = 'sample' and device is not null)) as devices
    from arriving_row
    group by all
)
select
    a.log_id, a.segment, a.role, a.first_line, a.last_line, a.first_record_line, a.last_record_line,
    w.started_at, w.ended_at, w.records, w.step_records, p.steps_done, p.step_gap,
    c.closing_line, c.closing_speed, a.expects_closing,
    coalesce(l.final_loss_nan, false) as final_loss_nan,
    a.event_status, a.event_line, a.event_text, w.stream, l.losses, w.devices
from arriving_segment as a
join whole as w using (log_id, segment)
left join steps as p using (log_id, segment)
left join closings as c using (log_id, segment)
left join losses as l using (log_id, segment);

drop table arriving_row;
