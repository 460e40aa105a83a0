-- A run that ended well and has no speed by its default rule, and why.
-- severity: note
select run_id, format('{}: {} ({})', rule, run_speed.status, coalesce(run_speed.reason, 'no reason')) as about
from run_speed
join run using (run_id)
where run_speed.is_default and phase = 'train' and run.status in ('ok', 'unknown') and run_speed.value is null;
