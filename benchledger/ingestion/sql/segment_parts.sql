-- What a part of the arriving records, which can be read once, says of each segment's beginning, steps and end.
insert into segment_part by name
with closing as (
    select distinct told.closing, shape.shape_id, shape.ordinal, shape.name = shape.record as is_bare
    from (select distinct closing, unnest(string_split(closing, chr(10))) as name from arriving_span) as told
    join shape using (name)
),
layout as (
    select
        shape_id,
        -- Steps of a validation are no steps of the training.
        any_value(if(kind = 'step' and phase <> 'train', 'other', kind)) filter (ordinal = 1) as kind,
        list(ordinal order by ordinal) filter (quantity = 'loss' and phase = 'train') as every_loss,
        -- Of most one, and a list in each row would cost more than all the rest.
        if(len(every_loss) = 1, every_loss[1], null) as one_loss,
        if(len(every_loss) > 1, every_loss, null) as losses,
        shape_id in (select shape_id from closing) as may_close
    from shape
    group by shape_id
),
-- The lists of few rows are looked at again: to keep those of all would cost more than all the rest.
arriving_row as materialized (
    select
        s.log_id, s.segment, r.byte_offset, r.line, r.shape_id, r.step, r.device, r.logged_at, k.kind, s.closing,
        case
            when k.one_loss is not null then r."values"[k.one_loss]
            when k.losses is not null
                then list_filter(list_transform(k.losses, lambda x: r."values"[x]), lambda x: x is not null)[1]
        end as loss,
        case
            when k.one_loss is not null then isnan(r."values"[k.one_loss])
            when k.losses is not null then list_bool_or(list_transform(k.losses, lambda x: isnan(r."values"[x])))
        end as is_nan,
        if(k.may_close, r."values", null) as "values",
        if(k.may_close, r.texts, null) as texts
    from arriving_record as r
    join layout as k using (shape_id)
    join arriving_span as s on s.log_id = r.log_id and r.line between s.first_line and s.until_line
),
step_row as (
    select
        log_id, segment, byte_offset, step,
        step - lag(step) over (partition by log_id, segment order by byte_offset) as gap
    from arriving_row
    where kind = 'step' and step is not null
),
steps as (
    select
        log_id, segment, max(step) as steps_done,
        max(gap) filter (gap > 0) as step_gap,
        arg_min(step, byte_offset) as first_step,
        arg_max(step, byte_offset) as last_step
    from step_row
    group by all
),
losses as (
    select
        log_id, segment, arg_max(is_nan, byte_offset) as final_loss_nan,
        arg_min(loss, byte_offset, 16) as losses
    from arriving_row
    where loss is not null
    group by all
),
closings as (
    select
        r.log_id, r.segment,
        arg_max(r.line, r.byte_offset) as closing_line,
        arg_max(r."values"[c.ordinal], r.byte_offset) as closing_speed
    from arriving_row as r
    join closing as c on c.shape_id = r.shape_id and c.closing = r.closing
    -- The words alone may say it: a text, or a record without values.
    where r."values"[c.ordinal] is not null or r.texts[c.ordinal] is not null or c.is_bare
    group by all
),
whole as (
    select
        log_id, segment,
        min(byte_offset) as first_offset,
        min(logged_at) as started_at, max(logged_at) as ended_at,
        count(*) as records, count(*) filter (kind = 'step') as step_records,
        min(logged_at, 16) as moments,
        list(distinct device) filter (kind = 'sample' and device is not null) as devices
    from arriving_row
    group by all
)
from whole
left join steps using (log_id, segment)
left join closings using (log_id, segment)
left join losses using (log_id, segment);
