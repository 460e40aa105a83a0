-- The lines that count the steps of a training, and which of their values states the epoch.
-- reads: kept.shape
-- makes: step_shape

-- Lines of one shape are compared: a tracker counts some of its tags in steps, and others in epochs.
create or replace temp table step_shape as
select shape_id, any_value(ordinal) filter (name = 'epoch' or name like '%/epoch') as epoch_at
from kept.shape
where kind = 'step'
group by shape_id
having bool_or(phase = 'train');
