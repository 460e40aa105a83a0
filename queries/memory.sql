-- One row per series and definition of memory: the median over its trials of the fullest device, in MiB.
-- $campaign = '*', a glob of run_campaign.campaign
-- $definition = '*', a glob of 'device', 'process', 'allocated', 'reserved'
-- Example: bench query memory -p definition=device
select
    campaign, framework, implementation, model, task, precision, batch_size_per_gpu, nodes, gpus, gpu_model,
    definition, value_mib, gpu_memory_mib, headroom_mib, trials, status, series_id
from memory_table
where coalesce(campaign, '') glob $campaign and definition glob $definition
order by all;
