-- The rates of each run in their order, whatever a rule leaves out of them.
-- reads: use
select run_id, unit, list(rate order by place) as rates
from use
where phase = 'train' and rate is not null and isfinite(rate) and rate > 0
group by run_id, unit;
