-- Which runs, and which campaigns' series, are not as a unit alone derived them, and the logs that these are derived from.
-- reads: unit_run_log, spanning_log, unit_series_member
-- makes: spanning_run, due_campaign, due_log

create or replace temp table spanning_run as
select distinct run_id
from unit_run_log
semi join spanning_log using (log_id);

create or replace temp table due_campaign as
select campaign
from unit_series_member
group by campaign
having count(distinct lake_unit) > 1
union
select campaign
from unit_series_member
semi join spanning_run using (run_id);

create or replace temp table due_log as
select log_id
from spanning_log
union
select unit_run_log.log_id
from unit_run_log
join unit_series_member using (run_id)
semi join due_campaign on due_campaign.campaign is not distinct from unit_series_member.campaign;
