-- One row per run with a speed: the rule that made it.
-- reads: run_speed

select run_id, min(rule) as rule
from run_speed
where is_default and phase = 'train' and value is not null and run_id in (select unnest($runs))
group by run_id
order by all;
