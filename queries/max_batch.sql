-- One row per campaign, system, GPU model and case without batch size: largest size per GPU that ran, smallest out of memory.
-- $campaign = '*', a glob of kept.run_campaign.campaign
-- $model = '*', a glob of bench_case.model
-- Example: bench query max-batch -p campaign='made*'
select
    campaign, system, gpu_model, framework, implementation, model, task, precision, nodes, gpus, seq_len,
    largest_ok, smallest_oom, runs, sizes_ok, sizes_oom, options
from kept.max_batch_table
where in_campaign(campaign, $campaign) and coalesce(model, '') glob $model
order by all;
