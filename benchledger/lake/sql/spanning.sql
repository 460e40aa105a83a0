-- Logs of which something follows that no unit could derive alone: those that several units have, or tie to one another;
-- those whose campaign has another name beside other units; those of units of which nothing is derived yet. And view
-- beside_spanning, the logs that these are tied to.
-- reads: tie, unit_log, foreign_log, renamed_log, derived_unit
-- makes: spanning_log, beside_spanning

create or replace temp table spanning_log as
select log_id from foreign_log
union
select id from renamed_log
union
select log_id from unit_log where lake_unit not in (from derived_unit)
union
select log_id
from tie
semi join (
    -- How campaigns are called was settled for all units (renamed_log).
    select hub
    from tie
    join unit_log using (log_id)
    where not starts_with(hub, 'root ')
    group by hub
    having count(distinct lake_unit) > 1
) as between_units using (hub);

create or replace temp view beside_spanning as
select distinct tie.log_id
from tie
semi join (select hub from tie semi join spanning_log using (log_id) where not starts_with(hub, 'root ')) as hubs using (hub)
anti join spanning_log using (log_id);
