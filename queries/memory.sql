-- One row per series and definition of memory: the median over trials of the fullest device, in MiB.
-- $campaign = '*', a glob of kept.run_campaign.campaign
-- $definition = '*', a glob of 'device', 'process', 'allocated', 'reserved'
-- Example: bench query memory -p definition=device
select
    campaign, framework, implementation, model, task, precision, batch_size_per_gpu, nodes, gpus, system,
    gpu_model, definition, value_mib, gpu_memory_mib, headroom_mib, trials, status, series_id
from memory_table
where in_campaign(campaign, $campaign) and definition glob $definition
order by all;
