-- One row per campaign and run that ended neither ok nor unknown: how, and the line that says so.
-- $campaign = '*', a glob of run_campaign.campaign
-- $status = '*', a glob of 'oom', 'nan', 'timeout', 'failed', 'truncated', 'too_few_steps'
-- Example: bench query failures -p status=oom
select campaign, name, gpu_model, status, reason, steps_done, steps_planned, text, log_id, line, run_key
from failure_table
where coalesce(campaign, '') glob $campaign and status glob $status
order by all;
