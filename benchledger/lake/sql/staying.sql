-- Which runs, and which campaigns' series, are not as a unit alone derived them.
-- reads: unit_run_log, spanning_log, unit_series_member
-- makes: spanning_run, due_campaign

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
