-- Temp table renamed(sighting_id, campaign): the campaigns that nobody states, where they are called otherwise so far:
-- roots of one name are told apart, and of spellings that differ in case or separators (A100-LOG, A100_LOG) the least
-- counts. All depends on the set of sightings, never on the order in which they came.

create or replace temp macro plain_path(path) as regexp_replace(lower(path), '[\s_.=+,@&()\[\]-]+', '', 'g');

create or replace temp table renamed as
with seen as (
    select
        sighting_id, log_id, root_id, name, campaign, status in ('loaded', 'duplicate') as is_active,
        min(campaign_path) over (partition by name, plain_path(campaign_path)) as campaign_path
    from sighting
    join kept.root using (root_id)
    where campaign_path is not null
),
held as (
    select name, campaign_path, root_id, log_id, count(distinct log_id) over (partition by root_id, campaign_path) as logs
    from seen
    where is_active
),
-- What was seen in several roots under one name, a folder and an archive of it, is of one of them: of the one that holds
-- most under that name, so that a folder that has grown since stays whole.
owner as (
    select name, campaign_path, log_id, arg_min(root_id, (-logs, root_id)) as root_id
    from held
    group by name, campaign_path, log_id
),
owning as (
    select distinct name, root_id
    from owner
),
-- As few digits as tell them apart, and four at least.
digits as (
    select name, min(digits) as digits
    from (
        select name, digits
        from owning
        cross join range(4, 17) as longer(digits)
        group by name, digits
        having count(distinct left(root_id, digits)) = count(*) and count(*) > 1
    )
    group by name
),
named as (
    select
        seen.sighting_id,
        seen.campaign as before,
        seen.name || coalesce('@' || left(coalesce(owner.root_id, seen.root_id), digits.digits), '')
            || if(seen.campaign_path = '', '', '/' || seen.campaign_path) as campaign
    from seen
    left join owner on seen.is_active and owner.name = seen.name and owner.campaign_path = seen.campaign_path
        and owner.log_id = seen.log_id
    left join digits on digits.name = seen.name
)
select sighting_id, campaign
from named
where campaign is distinct from before;
