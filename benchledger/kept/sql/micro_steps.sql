-- Steps that are printed in micro steps, one line each: the last line of a step stands for all of them.
-- reads: claimed_record, kept.shape, again
-- makes: micro_line, again, micro_value

create or replace temp table micro_line as
with line as (
    select
        run_id, shape_id, coalesce(rank, -1) as lane, epoch, step, place, "values", "values"[micro_at] as micro,
        (epoch, step) is distinct from lag((epoch, step)) over lines as begins
    from claimed_record
    join (
        select shape_id, min(ordinal) as micro_at
        from kept.shape
        where quantity = 'micro_step' and kind = 'step'
        group by shape_id
    ) using (shape_id)
    where part is not null and step is not null and (run_id, place) not in (select (run_id, place) from again)
    window lines as (partition by run_id, shape_id, coalesce(rank, -1) order by place)
),
numbered as (
    select *, count(*) filter (begins) over (partition by run_id, shape_id, lane order by place) as nth_step
    from line
),
counted as (
    select *, max(place) over of_step as last_place, count(distinct micro) over of_step as micro_steps
    from numbered
    window of_step as (partition by run_id, shape_id, lane, nth_step)
)
select *, max(micro_steps) over (partition by run_id, shape_id, lane) as most
from counted
qualify most > 1;

-- A step of which a part is missing has no time.
create or replace temp table micro_value as
select
    run_id, last_place + ordinal as place,
    case
        when any_value(micro_steps) < most or not bool_and("values"[ordinal] > 0) then 'nan'
        -- Without their names, ranks print as many lines more.
        when quantity = 'step_time' then sum("values"[ordinal] order by place) * any_value(micro_steps) / count(*)
        else count(*) / sum(1 / "values"[ordinal] order by place)
    end::double as value
from micro_line
join kept.shape using (shape_id)
where quantity in ('throughput', 'step_time')
group by run_id, shape_id, lane, nth_step, last_place, ordinal, quantity, most;

insert into again
select run_id, place
from micro_line
where place < last_place;
