-- A run whose path or file name says another thing than what it holds: GPUs, batch size, precision, model, ...
-- severity: warning
select conflict.run_id, min({'log_id': fact.log_id, 'line': fact.line}).log_id as log_id, min({'log_id': fact.log_id, 'line': fact.line}).line as line,
    format('{}: {} by {}, {} by its name', conflict.name, used_value, used_source, other_value) as about
from conflict
left join fact on fact.run_id = conflict.run_id and fact.name = conflict.name and fact.used
where other_source = 'name' and used_value is not null
group by all;
