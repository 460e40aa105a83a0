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
log_run as (
    select distinct log.log_id, log.format, run.run_id, run.status, fast.run_id is not null as has_speed
    from seen
    join log using (log_id)
    left join run_log using (log_id)
    left join run on run.run_id = run_log.run_id
    left join fast on fast.run_id = run_log.run_id
)
select
    log_run.format, format.role, format.framework, format.implementation,
    count(distinct log_run.log_id) as logs,
    count(distinct log_run.run_id) as runs,
    count(distinct log_run.run_id) filter (where log_run.status = 'ok') as ok,
    count(distinct log_run.run_id) filter (where log_run.status = 'unknown') as unknown,
    count(distinct log_run.run_id) filter (where log_run.status not in ('ok', 'unknown')) as failed,
    count(distinct log_run.run_id) filter (where log_run.has_speed) as with_speed
from log_run
left join kept.format using (format)
group by log_run.format, format.role, format.framework, format.implementation
order by log_run.format nulls last;
