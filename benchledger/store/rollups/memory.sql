-- The highest memory that the runs of temp table chunk_run print, by definition and device (found).

insert into run_memory
select found.run_id, run.case_id, found.definition, found.device, found.value, found.records
from found
join run using (run_id);
