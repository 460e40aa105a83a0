-- Older sightings at the places of temp table told, below the same root, that the private file no longer lists: temp
-- table moved_other(sighting_id, log_id).
-- reads: sighting, told
-- makes: moved_other, sighting

create or replace temp table moved_other as
select other.sighting_id, other.log_id, told.sighting_id as beside
from sighting as told
join sighting as other using (place, folder)
where told.sighting_id in (select id from told) and other.sighting_id not in (select id from told)
    and other.root_id <> told.root_id
qualify row_number() over (partition by other.sighting_id order by told.sighting_id) = 1;

update sighting
set
    root_id = told.root_id,
    path = told.path,
    campaign = if(sighting.campaign_path is null, sighting.campaign, told.campaign),
    campaign_source = if(sighting.campaign_path is null, sighting.campaign_source, told.campaign_source),
    campaign_path = if(sighting.campaign_path is null, null, told.campaign_path)
from moved_other
join sighting as told on told.sighting_id = moved_other.beside
where sighting.sighting_id = moved_other.sighting_id;
