-- One row per campaign and status: the number of runs. A run in two campaigns counts in both.
-- $campaign = '*', a glob of kept.run_campaign.campaign
-- Example: bench query runs-by-status -p campaign='made*'
select run_campaign.campaign, run.status, count(*) as runs, min(run.started_at) as first, max(run.started_at) as last
from run
join kept.run_campaign using (run_id)
anti join kept.excluded_run using (run_id)
where in_campaign(run_campaign.campaign, $campaign)
group by run_campaign.campaign, run.status
order by run_campaign.campaign, run.status;
