-- Which rows of a log, or of a place such as that of a facts.toml, are taken from another unit.
-- reads: unit_log, unit_sighting
-- makes: foreign_log, foreign_sighting

create or replace temp table foreign_log as
select log_id, lake_unit
from unit_log
qualify row_number() over (partition by log_id order by lake_unit) > 1;

create or replace temp table foreign_sighting as
select sighting_id, lake_unit
from unit_sighting
qualify row_number() over (partition by sighting_id order by lake_unit) > 1;
