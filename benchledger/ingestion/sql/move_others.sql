-- Older sightings at the places of temp table written_sighting, below the same root, that the private file no longer lists:
-- temp table moved_other(sighting_id, log_id).
-- reads: sighting, written_sighting
-- makes: moved_other, sighting

create or replace temp table moved_other as
select other.sighting_id, other.log_id, written.sighting_id as beside
from sighting as written
join sighting as other using (place, folder)
where written.sighting_id in (select id from written_sighting) and other.sighting_id not in (select id from written_sighting)
    and other.root_id <> written.root_id
qualify row_number() over (partition by other.sighting_id order by written.sighting_id) = 1;

update sighting
set
    root_id = written.root_id,
    path = written.path,
    campaign = if(sighting.campaign_path is null, sighting.campaign, written.campaign),
    campaign_source = if(sighting.campaign_path is null, sighting.campaign_source, written.campaign_source),
    campaign_path = if(sighting.campaign_path is null, null, written.campaign_path)
from moved_other
join sighting as written on written.sighting_id = moved_other.beside
where sighting.sighting_id = moved_other.sighting_id;
