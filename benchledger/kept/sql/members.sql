-- The runs of the campaigns and cases in due_pair, with the series that each is in by itself: by what it states of
-- system, GPU model and memory and of the versions of framework and implementation, and by what its names say of its case
-- against its log: two folders FP16 and FP32 of logs that both say fp32 are no trials of one case.
-- reads: run, campaign_now, environment, due_pair, conflict
-- makes: due_member, series_difference, run_difference

create or replace temp table due_member as
with named as (
    select run_id, 'named ' || string_agg(distinct name || '=' || other_value, ', ' order by name || '=' || other_value) as variant
    from conflict
    where other_source = 'name' and used_source <> 'name'
        and name in ('framework', 'implementation', 'model', 'task', 'precision')
    group by run_id
)
select
    run.run_id,
    campaign_now.campaign,
    run.case_id,
    environment.system,
    environment.gpu_model,
    environment.gpu_memory_mib,
    environment.framework_version,
    environment.implementation_version,
    named.variant,
    run.trial as stated_trial,
    run.started_at,
    run.run_key,
    run.environment_id,
    -- md5 and not hash(): the id must be the same in every release of DuckDB.
    (md5_number_lower(json_array(
        campaign_now.campaign,
        run.case_id,
        environment.gpu_model,
        environment.gpu_memory_mib,
        environment.framework_version,
        environment.implementation_version
    )::varchar || coalesce(environment.system, '') || coalesce(named.variant, '')) & 9223372036854775807)::bigint as series_id
from run
join campaign_now using (run_id)
left join environment using (environment_id)
left join named using (run_id)
semi join due_pair
    on campaign_now.campaign is not distinct from due_pair.campaign and run.case_id = due_pair.case_id;

-- In what the runs of a series differ. Most small ingests have no series of several runs.
create or replace temp table series_difference (series_id bigint, run_id bigint, kind varchar, name varchar, value varchar);

create or replace temp table run_difference (series_id bigint, run_id bigint, text varchar);
