-- A run whose path or file name says another thing than what it holds: GPUs, batch size, precision, model, ...
-- severity: warning
select run_id, format('{}: {} by {}, {} by its name', name, used_value, used_source, other_value) as about
from conflict
where other_source = 'name' and used_value is not null;
