-- Steps that are printed as one line per micro step: the last line of a step gets the values of the whole step.
-- reads: claimed_record, kept.shape, again
-- makes: micro_line, again, micro_value

create or replace temp table micro_line as
with line as (
    select
        run_id, shape_id, phase, coalesce(rank, -1) as lane, epoch, step, place, "values", "values"[micro_at] as micro,
        step is distinct from lag(step) over lines or epoch is distinct from lag(epoch) over lines as begins
    from claimed_record
    join (
        -- The first or last micro step of a step may print more values than the others, so a step has several shapes.
        select shape_id, min(ordinal) as micro_at, any_value(phase) as phase
        from kept.shape
        where quantity = 'micro_step' and kind = 'step'
        group by shape_id
    ) using (shape_id)
    where part is not null and step is not null and (run_id, place) not in (select (run_id, place) from again)
    window lines as (partition by run_id, phase, coalesce(rank, -1) order by place)
),
numbered as (
    select *, sum(begins::integer) over (partition by run_id, phase, lane order by place rows unbounded preceding) as nth_step
    from line
),
step as (
    select run_id, phase, lane, nth_step, max(place) as last_place, count(distinct micro) as micro_steps
    from numbered
    group by all
),
usual as (
    -- `most`: how many micro steps most steps have. A resumed run may print its last step again, with another number.
    select run_id, phase, lane, -quantile_disc(-micro_steps, 0.5) as most
    from step
    group by all
    having most > 1
)
select *
from numbered
join step using (run_id, phase, lane, nth_step)
join usual using (run_id, phase, lane);

-- A step without all of its micro steps has no time. A time or speed on only one line of a step is of the whole step.
create or replace temp table micro_value as
with reading as (
    select
        micro_line.* exclude (phase, place), quantity, place + ordinal as place, "values"[ordinal] as value,
        dense_rank() over (order by micro_line.phase, shape.phase, quantity, name, unit, scope) as reading
    from micro_line
    join kept.shape using (shape_id)
    where quantity in ('throughput', 'step_time')
),
stated as (
    select
        run_id, lane, nth_step, reading, max(place) as place, any_value(quantity) as quantity,
        any_value(micro_steps) = any_value(most) and bool_and(value > 0) as is_whole,
        any_value(most) as most, count(*) as lines, count(distinct micro) as micro_steps,
        sum(value order by place) as total, sum(1 / value order by place) as inverse
    from reading
    group by run_id, lane, nth_step, reading
)
select
    run_id, place,
    case
        when not is_whole or micro_steps <> if(max(micro_steps) over of_lane = 1, 1, most) then 'nan'
        -- If ranks are not named, a step has that many lines per micro step.
        when quantity = 'step_time' then total * micro_steps / lines
        else lines / inverse
    end::double as value
from stated
window of_lane as (partition by run_id, lane, reading);

insert into again
select run_id, place
from micro_line
where place < last_place;
