-- Of which runs, campaigns and series the rows are taken from what was settled, not from the units.
-- reads: spanning_run, run_log, spanning_log, due_here, due_campaign, kept.run_campaign, series, sighting, renamed_place
-- makes: settled_run, settled_campaign, series_settled, settled_place

create or replace temp table settled_run as
select run_id from spanning_run
union
select run_id from run_log semi join spanning_log using (log_id)
union
select run_id from due_here;

create or replace temp table settled_campaign as
select campaign from due_campaign
union
select campaign from kept.run_campaign semi join settled_run using (run_id);

create or replace temp table series_settled as
select series_id
from series
semi join settled_campaign on settled_campaign.campaign is not distinct from series.campaign;

create or replace temp table settled_place as
select sighting_id from sighting semi join spanning_log using (log_id)
union
select sighting_id from renamed_place;
