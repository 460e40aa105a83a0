-- One row per statement about a run that contradicts the one that counts; nothing counts where nothing decides.
-- $name = '*'
select run.run_key, conflict.name, used_value, used_source, other_value, other_source
from conflict
join run using (run_id)
where conflict.name glob $name
order by all;
