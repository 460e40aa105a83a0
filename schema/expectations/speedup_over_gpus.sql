-- A speed-up with an efficiency above 1.05: one of its two speeds is not what its name says.
-- severity: warning
-- $most = 1.05
select
    member.run_id,
    speedup_table.cell,
    format(
        '{} {} GPUs against {}: {:.6g} over {:.6g} {}', scaling, gpus, base_gpus, value, base_value, unit
    ) as about,
    speedup as value,
    gpus / base_gpus as expected
from speedup_table
join (select series_id, min(run_id) as run_id from kept.series_run group by series_id) as member using (series_id)
where is_default and scaling = 'weak' and speedup > $most * gpus / base_gpus;
