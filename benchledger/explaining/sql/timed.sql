-- Where each time between records ends that the asked rule could read of the runs in chosen, and where it begins; of a
-- step record without a time since the one before: why there is none.
-- reads: claimed_record, again, chosen, kept.shape

with step_record as (
    select
        claimed_record.*, quantity, count(distinct coalesce(rank, -1)) over (partition by run_id) as ranks,
        (run_id, place) in (select (run_id, place) from again) as is_again
    from claimed_record
    join (select run_id, quantity from chosen where quantity in ('interval', 'round')) using (run_id)
    semi join (select shape_id from kept.shape where kind = 'step' and phase = 'train') as step_shape using (shape_id)
    where part is not null
),
ended as (
    -- A round ends with every so many records as there are ranks.
    select *, lag(line, if(quantity = 'round', ranks, 1)) over own as from_line, lag(step) over own as step_before
    from step_record
    where not is_again
    window own as (partition by run_id, if(quantity = 'round', -1, coalesce(rank, -1)) order by place)
    union all by name
    from step_record
    where is_again
    union all by name
    select stop.* replace (null as step), chosen.quantity, from_line
    from chosen
    join claimed_record as stop using (run_id)
    join (
        select run_id, min_by(line, place) as from_line
        from claimed_record
        join chosen using (run_id)
        where quantity = 'span' and part is not null and label = split_part(chosen.name, ' to ', 1)
        group by run_id
    ) as start using (run_id)
    where quantity = 'span' and part is not null and label = split_part(chosen.name, ' to ', 2)
)
select
    ended.run_id, place, log_id, line, byte_offset, 0 as ordinal, step,
    if(ended.quantity = 'round', null, rank)::bigint as rank, 'train' as phase, 's' as unit,
    if(ended.quantity = 'span', chosen.name, null) as name, ended.quantity, null::varchar as unit_logged, from_line,
    list_position(getvariable('runs'), ended.run_id) as nth_run,
    case
        when ended.quantity <> 'interval' then null
        when is_again then 'printed before'
        when from_line is null then 'no step record before it'
        when step is null or step_before is null then 'no step number'
        when step < step_before then 'the step number falls back'
        else 'no time is logged'
    end as unread
from ended
join chosen using (run_id);
