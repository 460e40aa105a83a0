-- The runs of campaigns whose series are to be made, and those of which only a manifest is known: they may follow runs
-- of any unit.
-- reads: kept.run_campaign, due_campaign, run_log
-- makes: due_here

create or replace temp table due_here as
select run_id
from kept.run_campaign
semi join due_campaign on run_campaign.campaign is not distinct from due_campaign.campaign
union
select run_id from run_log where role = 'manifest';
