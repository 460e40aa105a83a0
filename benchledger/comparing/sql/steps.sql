-- The rates that make the speed of each run under a rule, in their order.
-- reads: use
select run_id, list(rate order by place) as rates
from use
where phase = 'train' and dropped is null
group by run_id;
