-- Every number of a series with all that is known of it, for tables with any rows and columns (bench report pivot).

-- What the runs of a series state of their environment. Several values of one series stand beside each other: none of
-- them is the series' own.
create view kept.series_environment as
select
    series_run.series_id,
    list_sort(list(distinct series_run.run_id)) as runs,
    string_agg(distinct environment.gpu_family, ' | ' order by environment.gpu_family) as gpu_family,
    string_agg(distinct environment.driver_version, ' | ' order by environment.driver_version) as driver_version,
    string_agg(distinct environment.cuda_version, ' | ' order by environment.cuda_version) as cuda_version,
    string_agg(distinct environment.cudnn_version, ' | ' order by environment.cudnn_version) as cudnn_version,
    string_agg(distinct environment.nccl_version, ' | ' order by environment.nccl_version) as nccl_version,
    string_agg(distinct environment.mpi_version, ' | ' order by environment.mpi_version) as mpi_version,
    string_agg(distinct environment.image, ' | ' order by environment.image) as image,
    string_agg(distinct environment.interconnect, ' | ' order by environment.interconnect) as interconnect,
    string_agg(distinct environment.topology, ' | ' order by environment.topology) as topology,
    string_agg(distinct environment.cpu_model, ' | ' order by environment.cpu_model) as cpu_model,
    string_agg(distinct environment.os, ' | ' order by environment.os) as os,
    string_agg(distinct environment.python_version, ' | ' order by environment.python_version) as python_version,
    string_agg(distinct environment.libraries, ' | ' order by environment.libraries) as libraries,
    case when min(environment.gpus_per_node) = max(environment.gpus_per_node) then min(environment.gpus_per_node) end
        as gpus_per_node,
    case when min(environment.cpu_count) = max(environment.cpu_count) then min(environment.cpu_count) end as cpu_count,
    case when min(environment.memory_mib) = max(environment.memory_mib) then min(environment.memory_mib) end
        as memory_mib
from kept.series_run
join main.run using (run_id)
join main.environment using (environment_id)
group by series_run.series_id;
comment on view kept.series_environment is
    'One row per series: what its runs state of their environment. Where they differ, texts stand beside each other '
    '(A | B), and numbers are NULL.';
comment on column kept.series_environment.runs is 'Ids of all runs of the series.';
comment on column kept.series_environment.gpu_family is 'GPU family, such as V100.';
comment on column kept.series_environment.driver_version is 'Version of the NVIDIA driver.';
comment on column kept.series_environment.cuda_version is 'Version of CUDA.';
comment on column kept.series_environment.cudnn_version is 'Version of cuDNN.';
comment on column kept.series_environment.nccl_version is 'Version of NCCL.';
comment on column kept.series_environment.mpi_version is 'Version of MPI.';
comment on column kept.series_environment.image is 'Container image.';
comment on column kept.series_environment.interconnect is 'Network between the machines.';
comment on column kept.series_environment.topology is 'Links between the GPUs of a machine.';
comment on column kept.series_environment.cpu_model is 'Processor.';
comment on column kept.series_environment.os is 'Operating system.';
comment on column kept.series_environment.python_version is 'Version of Python.';
comment on column kept.series_environment.libraries is 'Other libraries with their versions.';
comment on column kept.series_environment.gpus_per_node is 'GPUs of one machine.';
comment on column kept.series_environment.cpu_count is 'Number of processor cores.';
comment on column kept.series_environment.memory_mib is 'Main memory of a machine in MiB.';

create view kept.pivot_table as
with number as (
    select
        'speed' as quantity, series_id, rule, is_default, null as scaling, value, unit, trials, trials_dropped, lowest,
        highest, conflicts, status, false as is_doubtful, cell
    from kept.cell
    union all
    select
        'memory', series_id, definition, true, null, value_mib, 'MiB', trials, trials_dropped, lowest_mib, highest_mib,
        0, status, false, cell
    from main.memory_table
    union all
    select
        unnest(['speedup', 'efficiency']), series_id, rule, is_default, scaling, unnest([speedup, efficiency]), '1',
        trials, trials_dropped, null, null, conflicts, status, scaling = 'weak' and efficiency > 1.05, cell
    from main.speedup_table
    where speedup is not null
)
select
    number.quantity,
    series_case.*,
    series_environment.* exclude (series_id),
    number.rule,
    number.is_default,
    coalesce(rule.per = 'gpu', false) as is_per_gpu,
    number.scaling,
    number.value,
    number.unit,
    number.trials,
    number.trials_dropped,
    number.lowest,
    number.highest,
    number.conflicts,
    number.status,
    number.is_doubtful,
    number.cell
from number
join kept.series_case using (series_id)
join kept.series_environment using (series_id)
left join kept.rule using (rule);
comment on view kept.pivot_table is
    'One row per number of a series (speed, memory, speedup, efficiency) with its case, campaign and environment: '
    'for tables of any rows and columns. `bench report pivot` and `bench report ranking` print it.';
comment on column kept.pivot_table.quantity is 'speed, memory, speedup or efficiency.';
comment on column kept.pivot_table.runs is 'Ids of all runs of the series.';
comment on column kept.pivot_table.rule is 'Rule of the number; of memory its definition.';
comment on column kept.pivot_table.is_default is
    'Whether it is the number to show: by the default rule of the logs'' format. Always true of memory.';
comment on column kept.pivot_table.is_per_gpu is 'Whether the rule gives the number of one GPU, not of all.';
comment on column kept.pivot_table.scaling is 'weak or strong; NULL unless it is a speedup or efficiency.';
comment on column kept.pivot_table.value is 'The number; NULL if no trial has one.';
comment on column kept.pivot_table.unit is 'Unit: samples/s, tokens/s, ..., MiB; 1 for speedup and efficiency.';
comment on column kept.pivot_table.status is 'ok, or why there is no number.';
comment on column kept.pivot_table.is_doubtful is
    'Whether it is a speedup or efficiency of more than the GPUs can give: an efficiency above 1.05 of weak scaling.';
comment on column kept.pivot_table.lowest is 'Lowest of the trials; NULL of speedup and efficiency.';
comment on column kept.pivot_table.highest is 'Highest of the trials; NULL of speedup and efficiency.';
comment on column kept.pivot_table.conflicts is
    'Number of contradicting statements about the runs of the series (table conflict); 0 of memory.';
comment on column kept.pivot_table.gpu_family is 'GPU family, such as V100; several values stand beside each other.';
comment on column kept.pivot_table.driver_version is 'Version of the NVIDIA driver.';
comment on column kept.pivot_table.cuda_version is 'Version of CUDA.';
comment on column kept.pivot_table.cudnn_version is 'Version of cuDNN.';
comment on column kept.pivot_table.nccl_version is 'Version of NCCL.';
comment on column kept.pivot_table.mpi_version is 'Version of MPI.';
comment on column kept.pivot_table.image is 'Container image.';
comment on column kept.pivot_table.interconnect is 'Network between the machines.';
comment on column kept.pivot_table.topology is 'Links between the GPUs of a machine.';
comment on column kept.pivot_table.cpu_model is 'Processor.';
comment on column kept.pivot_table.os is 'Operating system.';
comment on column kept.pivot_table.python_version is 'Version of Python.';
comment on column kept.pivot_table.libraries is 'Other libraries with their versions.';
comment on column kept.pivot_table.gpus_per_node is 'GPUs of one machine; NULL where the runs differ.';
comment on column kept.pivot_table.cpu_count is 'Number of processor cores; NULL where the runs differ.';
comment on column kept.pivot_table.memory_mib is 'Main memory of a machine in MiB; NULL where the runs differ.';
