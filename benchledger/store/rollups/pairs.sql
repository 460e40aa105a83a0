-- Each campaign and case in which a run of temp table due_run is: their series are made anew.

create or replace temp table campaign_now as
from run_campaign;

create or replace temp table due_pair as
select distinct campaign_now.campaign, run.case_id
from campaign_now
join run using (run_id)
semi join due_run using (run_id);
