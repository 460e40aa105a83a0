-- Rows settled earlier replace those that units derived: places are deleted, runs and campaigns are not derived again.
-- reads: settled_place, settled_run, settled_campaign
-- makes: sighting, spanning_run, due_campaign

delete from sighting where sighting_id in (select sighting_id from settled_place);

create or replace temp table spanning_run as
from settled_run;

create or replace temp table due_campaign as
from settled_campaign;
