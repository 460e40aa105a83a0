-- One row per statement about a run that contradicts the one that counts, each with its place; nothing counts where nothing decides.
-- $name = '*', a glob of fact.name
-- $campaign = '*', a glob of run_campaign.campaign
-- $run = '*', a glob of run.run_key
-- Example: bench query conflicts -p name='g*'
with seen as (
    select run_id, log_id, min(sighting_id) as sighting_id
    from run_log
    group by all
),
placed as (
    select
        fact.run_id, fact.name, fact.value, fact.source, fact.used,
        min(coalesce(
            fact.place,
            place_of(sighting.path, sighting.archive, sighting.member) || coalesce(':' || fact.line, '')
        )) as place
    from fact
    left join seen using (run_id, log_id)
    left join sighting on sighting.sighting_id = coalesce(fact.sighting_id, seen.sighting_id)
    group by all
),
campaigns as (
    select run_id, string_agg(campaign, '; ' order by campaign) as campaign
    from run_campaign
    group by run_id
    having bool_or(coalesce(campaign, '') glob $campaign)
)
select
    campaigns.campaign, run.run_key, conflict.name,
    conflict.used_value, conflict.used_source, used.place as used_place,
    conflict.other_value, conflict.other_source, other.place as other_place
from conflict
join run using (run_id)
join campaigns using (run_id)
left join placed as used
    on used.run_id = conflict.run_id and used.name = conflict.name and used.used
left join placed as other
    on other.run_id = conflict.run_id and other.name = conflict.name and not other.used
    and other.value is not distinct from conflict.other_value and other.source = conflict.other_source
where conflict.name glob $name and run.run_key glob $run
order by all;
