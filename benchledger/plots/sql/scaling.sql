-- One row per series and kind of scaling: its speed-up over the same case on the fewest GPUs.
-- reads: kept.series_run, speedup_table
with alike as (
    select series_id, list_sort(list(run_id)) as runs from kept.series_run group by series_id
)
select
    format('{} {} {}', scaling, base_series_id, rule) as line, gpus::double as x, speedup as y,
    -- A time of the fewest seconds is the highest speed-up.
    least(faster(lowest, base_value, unit), faster(highest, base_value, unit)) as lowest,
    greatest(faster(lowest, base_value, unit), faster(highest, base_value, unit)) as highest,
    gpus / base_gpus as ideal, efficiency, speedup_table.* exclude (lowest, highest), runs
from speedup_table
join alike using (series_id)
where speedup is not null and gpus is not null
