-- One row per log format (NULL: none): its logs and runs, how many runs are ok, unknown or failed, and have a speed.
-- $campaign = '*', a glob of sighting.campaign
-- Example: bench query programs -p campaign='made*'
with seen as (
    select distinct log_id
    from sighting
    where log_id is not null and status <> 'document' and in_campaign(campaign, $campaign)
),
fast as (
    select distinct run_id
    from run_speed
    where is_default and phase = 'train' and value is not null
),
-- A monitor's log can belong to several runs.
told as (
    select distinct log.log_id, log.format, run.run_id, run.status, fast.run_id is not null as has_speed
    from seen
    join log using (log_id)
    left join run_log using (log_id)
    left join run on run.run_id = run_log.run_id
    left join fast on fast.run_id = run_log.run_id
)
select
    told.format, format.role, format.framework, format.implementation,
    count(distinct told.log_id) as logs,
    count(distinct told.run_id) as runs,
    count(distinct told.run_id) filter (where told.status = 'ok') as ok,
    count(distinct told.run_id) filter (where told.status = 'unknown') as unknown,
    count(distinct told.run_id) filter (where told.status not in ('ok', 'unknown')) as failed,
    count(distinct told.run_id) filter (where told.has_speed) as with_speed
from told
left join kept.format using (format)
group by told.format, format.role, format.framework, format.implementation
order by told.format nulls last;
