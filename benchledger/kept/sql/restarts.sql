-- Which runs have steps that are not ahead of the first one.
-- reads: step_shape, claimed_record
-- makes: progress, begun, behind, restarted

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
select
    run_id, log_id, lane, shape_id, min(place) as first_place,
    arg_min(epoch, place) as first_epoch, arg_min(reached, place) as first_reached
from progress
group by run_id, log_id, lane, shape_id;

create or replace temp table behind as
select distinct run_id, log_id, lane, shape_id, first_epoch, first_reached
from progress
join begun using (run_id, log_id, lane, shape_id)
where place > first_place and (epoch < first_epoch or (epoch = first_epoch and reached <= first_reached));

create or replace temp table restarted (run_id bigint, reason varchar);
