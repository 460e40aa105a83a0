-- One row per series and definition of memory: the fullest GPU in GiB, its range over the trials, and the GPU's size.
-- reads: kept.series_run, memory_table
with alike as (
    select series_id, list_sort(list(run_id)) as runs from kept.series_run group by series_id
)
select
    format('{} {}', series_id, definition) as line, value_mib / 1024 as y, lowest_mib / 1024 as lowest,
    highest_mib / 1024 as highest, gpu_memory_mib / 1024 as card, 'GiB' as unit, memory_table.*, runs
from memory_table
join alike using (series_id)
where value_mib is not null
