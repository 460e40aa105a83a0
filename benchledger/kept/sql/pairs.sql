-- Each campaign and case in which a run of due_run is or was: their series are made anew.
-- reads: kept.run_campaign, run, due_run, kept.series_member
-- makes: campaign_now, due_pair, gone_series

create or replace temp table campaign_now as
from kept.run_campaign;

create or replace temp table due_pair as
select distinct campaign_now.campaign, run.case_id
from campaign_now
join run using (run_id)
semi join due_run using (run_id)
union
select campaign, case_id
from kept.series_member
semi join due_run using (run_id);

create or replace temp table gone_series as
select distinct series_id
from kept.series_member
semi join due_pair
    on series_member.campaign is not distinct from due_pair.campaign and series_member.case_id = due_pair.case_id;
