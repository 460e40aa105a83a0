-- Closing speeds that a program computed from all planned steps, but from the time of some: they are no speeds of the run.
-- reads: kept.format, kept.run_format, due_run, kept.speed, kept.rule, fact, kept.run_record, kept.shape,
--   kept.run_source, sighting
-- makes: planned_speed, kept.contradicted_speed

create or replace temp table planned_speed as
select speed.run_id, rule, speed.phase, speed.unit, speed.value
from kept.speed
join kept.rule using (rule)
join kept.run_format using (run_id)
semi join due_run using (run_id)
where rule.kind = 'summary' and speed.phase = 'train' and speed.value is not null
    and format in (select format from kept.format where has_planned_speed);

insert into kept.contradicted_speed
with stated as (
    select
        run_id,
        max(try_cast(value as bigint)) filter (name = 'resumed_step') as resumed_step,
        max(try_cast(value as bigint)) filter (name = 'last_step') as last_step,
        max(try_cast(value as bigint)) filter (name = 'steps_planned') as steps_planned
    from fact
    where used and name in ('resumed_step', 'last_step', 'steps_planned') and run_id in (select run_id from planned_speed)
    group by run_id
),
-- What tells how far a run is: the step, else the epoch and its part; and the seconds of training and of evaluations.
progress as (
    select
        run_id, log_id, byte_offset, rank,
        bool_or(kind = 'step' and phase = 'train') as is_step,
        any_value(coalesce(step, if(name = 'epoch', "values"[ordinal], null))) as reached,
        any_value("values"[ordinal]) filter (quantity = 'train_time') as train_s,
        sum("values"[ordinal]) filter (phase = 'validation' and unit = 's') as evaluation_s
    from kept.run_record
    join kept.shape using (shape_id)
    where part = 0 and run_id in (select run_id from planned_speed)
    group by run_id, log_id, byte_offset, rank, step
),
-- Steps that begin anew are of a later start: the last one has printed the closing speed.
started as (
    select
        *,
        sum(coalesce(gap < 0, false)::integer) over (
            partition by run_id, log_id, rank order by byte_offset rows unbounded preceding
        ) as nth_start
    from (
        select
            run_id, log_id, byte_offset, rank, reached,
            reached - lag(reached) over (partition by run_id, log_id, rank order by byte_offset) as gap
        from progress
        where is_step and reached is not null
    )
),
begun as (
    select run_id, max(if(gap > 0, gap, null)) as gap, arg_max(first_at, nth_start) as first_at
    from (
        select *, first_value(reached) over (partition by run_id, log_id, rank, nth_start order by byte_offset) as first_at
        from started
    )
    group by run_id
),
timed as (
    select
        run_id, arg_max(train_s, byte_offset) as train_s,
        sum(evaluation_s) filter (nth_print = 1) as evaluation_s
    from (
        select
            *, max(if(train_s is null, null, byte_offset)) over (partition by run_id, log_id) as closing_offset,
            -- A program may print an evaluation twice: itself, and by its logger.
            row_number() over (partition by run_id, reached, evaluation_s order by byte_offset) as nth_print
        from progress
    )
    where byte_offset <= closing_offset
    group by run_id
),
judged as (
    select
        run_id,
        case
            when resumed_step > 0 then format('the run was resumed at step {}', resumed_step)
            when last_step < steps_planned then format('the run ended at step {} of {}', last_step, steps_planned)
            -- A printed epoch is rounded to hundredths.
            when first_at >= 1.5 * gap + 0.01 then format('the steps of this log begin at {:.6g}', first_at)
            when evaluation_s > train_s
                then format('its evaluations took {:.6g} s, longer than the training of {:.6g} s', evaluation_s, train_s)
        end as evidence
    from (select distinct run_id from planned_speed)
    left join stated using (run_id)
    left join begun using (run_id)
    left join timed using (run_id)
)
select
    run_id, rule, phase, unit,
    evidence || ', but its closing throughput counts all planned steps over the time since the last start'
from planned_speed
join judged using (run_id)
where evidence is not null;

-- A trainer_state.json beside a resumed run's log has the same closing speed, and all steps: it does not show the start.
insert into kept.contradicted_speed
with placed as (
    select distinct run_id, folder
    from kept.run_source
    join sighting using (log_id)
    where sighting.status in ('loaded', 'duplicate')
)
select planned_speed.run_id, planned_speed.rule, planned_speed.phase, planned_speed.unit, min(other.reason)
from planned_speed
join placed using (run_id)
join placed as beside using (folder)
join kept.contradicted_speed as other
    on other.run_id = beside.run_id
    and other.rule = planned_speed.rule
    and other.phase = planned_speed.phase
    and other.unit = planned_speed.unit
join kept.speed as printed
    on printed.run_id = other.run_id
    and printed.rule = other.rule
    and printed.phase = other.phase
    and printed.unit = other.unit
where nearly(planned_speed.value, printed.value)
    and planned_speed.run_id in (
        select run_id from kept.run_format join kept.format using (format) where role = 'duplicate_stream'
    )
    and planned_speed.run_id not in (select run_id from kept.contradicted_speed)
group by all;
