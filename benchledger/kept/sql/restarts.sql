-- Runs whose steps begin again: the log may hold another run, appended to it, so no speed is made of them.
-- reads: kept.shape, claimed_record
-- makes: step_shape, progress, begun, fallen, restarted

-- Lines of one shape are compared: a tracker counts some of its tags in steps, and others in epochs.
create or replace temp table step_shape as
select shape_id, any_value(ordinal) filter (name = 'epoch' or name like '%/epoch') as epoch_at
from kept.shape
where kind = 'step'
group by shape_id
having bool_or(phase = 'train');

-- Where a line states no step, it may state how many epochs are done: 0.25.
create or replace temp view progress as
select
    run_id, log_id, coalesce(rank, -1) as lane, shape_id, place, line,
    coalesce(epoch, floor("values"[epoch_at]), 0) as epoch,
    coalesce(step, "values"[epoch_at], 0) as reached,
    (step is not null)::integer as step_back
from claimed_record
join step_shape using (shape_id)
where part = 0 and coalesce(step, epoch, "values"[epoch_at]) is not null;

create or replace temp table begun as
select run_id, log_id, lane, shape_id, arg_min(epoch, place) as first_epoch, arg_min(reached, place) as first_reached
from progress
group by run_id, log_id, lane, shape_id;

-- A step that overflowed may be counted back: only what is more than one step ahead is well behind the first one.
create or replace temp table fallen as
select *
from (
    select
        run_id, log_id, lane, shape_id, first_epoch, first_reached,
        min(place) filter (
            epoch > first_epoch or (epoch = first_epoch and reached > first_reached + step_back)
        ) as ahead_place,
        max(place) filter (epoch < first_epoch or (epoch = first_epoch and reached <= first_reached)) as back_place
    from progress
    join begun using (run_id, log_id, lane, shape_id)
    group by run_id, log_id, lane, shape_id, first_epoch, first_reached
)
where back_place > ahead_place;

create or replace temp table restarted as
select run_id, format('the steps begin again at line {}: a second run may begin there', arg_min(line, place)) as reason
from progress
join fallen using (run_id, log_id, lane, shape_id)
where place > ahead_place and (epoch < first_epoch or (epoch = first_epoch and reached <= first_reached))
group by run_id;
