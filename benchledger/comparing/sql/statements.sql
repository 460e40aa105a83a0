-- One row per run and statement that could explain its speed: facts of case and environment, and printed settings.
-- reads: fact, measurement, run, kept.setting_word

with volatile as (
    select list(word) as words
    from kept.setting_word
    where not is_case
),
fact_used as (
    select run_id, name, value
    from fact
    where used and run_id in (select unnest($runs)) and (
        starts_with(name, 'options.') or name in (
            'framework', 'implementation', 'model', 'task', 'precision', 'batch_size_per_gpu', 'global_batch_size',
            'nodes', 'gpus', 'seq_len', 'gradient_accumulation', 'system', 'gpu_model', 'gpus_per_node',
            'gpu_memory_mib', 'driver_version', 'cuda_version', 'cudnn_version', 'nccl_version', 'mpi_version',
            'framework_version', 'implementation_version', 'image', 'interconnect', 'topology', 'cpu_model',
            'cpu_count', 'memory_mib', 'os', 'python_version', 'libraries'
        )
    )
),
setting as (
    select run_id, lower(replace(name, '-', '_')) as name, coalesce(text, value::varchar) as value
    from measurement
    cross join volatile
    where kind = 'parameter' and role = 'train' and run_id in (select unnest($runs))
        and not list_has_any(string_split(lower(replace(name, '-', '_')), '_'), words)
)
select run_id, 'fact' as kind, name, value from fact_used
union
select run_id, 'fact', 'status', status from run where run_id in (select unnest($runs))
union
select run_id, 'setting' as kind, name, value from setting
where value is not null and name not in (select name from fact_used)
order by all;
