-- One row per campaign and run that failed (neither ok nor unknown): the status, and the line that shows it.
-- $campaign = '*', a glob of kept.run_campaign.campaign
-- $status = '*', a glob of 'oom', 'nan', 'timeout', 'failed', 'truncated', 'too_few_steps'
-- Example: bench query failures -p status=oom
select campaign, name, system, gpu_model, status, reason, steps_done, steps_planned, text, log_id, line, run_key
from kept.failure_table
where in_campaign(campaign, $campaign) and status glob $status
order by all;
