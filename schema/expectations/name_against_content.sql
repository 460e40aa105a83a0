-- A run whose path or file name contradicts its content: GPUs, batch size, precision, model, ...
-- severity: warning
with counts as (
    select run_id, name, min({'log_id': log_id, 'line': line}) as said_at
    from fact
    where used
    group by all
),
named as (
    select run_id, name, value, min(place) as rule
    from fact
    where source = 'name'
    group by all
)
select
    conflict.run_id,
    said_at.log_id as log_id,
    said_at.line as line,
    format('{}: {} by {}, {} by its name', conflict.name, used_value, used_source, other_value) as about,
    -- Names of one convention mean one thing.
    format('{} by names of {}', conflict.name, coalesce(rule, '?')) as cause
from conflict
left join counts on counts.run_id = conflict.run_id and counts.name = conflict.name
left join named
    on named.run_id = conflict.run_id and named.name = conflict.name and named.value = conflict.other_value
where other_source = 'name' and used_value is not null
group by all;
