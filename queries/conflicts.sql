-- One row per contradicted statement about a run: facts, file names, multiplied speeds, published speeds.
-- $name = '*', a glob of fact.name
-- $campaign = '*', a glob of kept.run_campaign.campaign
-- $run = '*', a glob of run.run_key
-- $kind = '*', a glob of 'fact', 'file_name', 'multiplied', 'published'
-- Example: bench query conflicts -p name='g*'
with placed as (
    select
        fact.run_id, fact.name, fact.value, fact.source, fact.used,
        min(coalesce(
            fact.place,
            coalesce(place_of(sighting.path, sighting.archive, sighting.member), run_log_place.place)
                || coalesce(':' || fact.line, '')
        )) as place
    from fact
    left join sighting on sighting.sighting_id = fact.sighting_id
    left join kept.run_log_place on run_log_place.run_id = fact.run_id and run_log_place.log_id = fact.log_id
    group by all
),
facts as (
    select
        conflict.run_id, 'fact' as kind, conflict.name,
        conflict.used_value, conflict.used_source, used.place as used_place,
        conflict.other_value, conflict.other_source, other.place as other_place
    from conflict
    left join placed as used
        on used.run_id = conflict.run_id and used.name = conflict.name and used.used
    left join placed as other
        on other.run_id = conflict.run_id and other.name = conflict.name and not other.used
        and other.value is not distinct from conflict.other_value and other.source = conflict.other_source
),
-- Nothing decides which of a content's names is the right one.
names as (
    select distinct
        run_id, 'file_name' as kind, 'file_name' as name,
        null::varchar as used_value, null::varchar as used_source, null::varchar as used_place,
        log_name.name as other_value, 'name' as other_source, log_name.place as other_place
    from kept.log_name
    join run_log using (log_id)
    where names > 1 and role = 'train'
),
speeds as (
    select
        run_id, 'multiplied' as kind, 'speed' as name,
        format('{:.6g} ({})', value, multiplied_speed.name), 'log', place.path || ':' || line,
        format('{:.6g} ({}), {} times as much', higher_value, higher_name, gpus), 'log', place.path || ':' || higher_line
    from kept.multiplied_speed
    join place_of_log('*') as place using (log_id)
),
-- The published speed of the owner's logs, beside ours by the rule that the document claims, or by our own rule.
published as (
    select
        trial_runs[1] as run_id, 'published' as kind, 'speed' as name,
        format('{:.6g} ({})', found.our_value, found.rule), 'log', found.our_cell,
        found.printed, 'published', concat_ws(', ', found.source || coalesce('@' || found.revision, ''), found.section, found.cell)
    from kept.published_table as found
    join speed_table on speed_table.cell = found.our_cell
    where found.own_logs and found.quantity = 'speed' and found.equal = 'other'
),
every as (
    from facts
    union all from names
    union all from speeds
    union all from published
),
campaigns as (
    select run_id, string_agg(campaign, '; ' order by campaign) as campaign
    from kept.run_campaign
    group by run_id
    having bool_or(in_campaign(campaign, $campaign))
)
select
    campaigns.campaign, run.run_key, every.name,
    used_value, used_source, used_place, other_value, other_source, other_place
from every
join run using (run_id)
join campaigns using (run_id)
where every.kind glob $kind and every.name glob $name and run.run_key glob $run
order by all;
