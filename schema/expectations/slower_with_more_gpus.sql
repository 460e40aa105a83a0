-- A case that is slower than its base on fewer GPUs.
-- severity: warning
select
    member.run_id,
    cell,
    format('{:.6g} {} on {} GPUs, {:.6g} on {}', value, unit, gpus, base_value, base_gpus) as about,
    speedup as value,
    1 as expected
from speedup_table
join (select series_id, min(run_id) as run_id from kept.series_run group by series_id) as member using (series_id)
where is_default and gpus > base_gpus and speedup < 1;
