-- Series and trial numbers, again in each campaign and case in which a run of temp table due_run is or was.

create or replace temp table due_pair as
select campaign, case_id
from run_campaign
join run using (run_id)
semi join due_run using (run_id)
union
select campaign, case_id
from series_member
semi join due_run using (run_id);

create or replace temp table gone_series as
select distinct series_id
from series_member
semi join due_pair
    on series_member.campaign is not distinct from due_pair.campaign and series_member.case_id = due_pair.case_id;

delete from series_member where series_id in (select series_id from gone_series);
delete from series where series_id in (select series_id from gone_series);
delete from series_run where series_id in (select series_id from gone_series);

-- Which series a run is in. A tuple is what a run states of GPU model and memory and of the versions of framework
-- and implementation. A tuple that another one of the same campaign and case agrees with and says more than is narrow;
-- its runs join the one series that fits, where exactly one does.
insert into series_member
with member as (
    select
        run.run_id,
        run_campaign.campaign,
        run.case_id,
        environment.gpu_model,
        environment.gpu_memory_mib,
        environment.framework_version,
        environment.implementation_version,
        run.trial,
        run.started_at,
        run.run_key,
        run.environment_id,
        -- md5 and not hash(): the id must be the same in every release of DuckDB.
        (md5_number_lower(json_array(
            run_campaign.campaign,
            run.case_id,
            environment.gpu_model,
            environment.gpu_memory_mib,
            environment.framework_version,
            environment.implementation_version
        )::varchar) & 9223372036854775807)::bigint as own_id
    from run
    join run_campaign using (run_id)
    left join environment using (environment_id)
    anti join excluded_run using (run_id)
    semi join due_pair
        on run_campaign.campaign is not distinct from due_pair.campaign and run.case_id = due_pair.case_id
),
stated as (
    select distinct
        own_id, campaign, case_id, gpu_model, gpu_memory_mib, framework_version, implementation_version
    from member
),
fit as (
    select
        one.own_id,
        other.own_id as other_id,
        (one.gpu_model is null or other.gpu_model is not null)
        and (one.gpu_memory_mib is null or other.gpu_memory_mib is not null)
        and (one.framework_version is null or other.framework_version is not null)
        and (one.implementation_version is null or other.implementation_version is not null) as says_more
    from stated as one
    join stated as other
        on one.case_id = other.case_id and one.campaign is not distinct from other.campaign
    where one.own_id <> other.own_id
        and (one.gpu_model = other.gpu_model) is not false
        and (one.gpu_memory_mib = other.gpu_memory_mib) is not false
        and (one.framework_version = other.framework_version) is not false
        and (one.implementation_version = other.implementation_version) is not false
),
narrow as (
    select distinct own_id
    from fit
    where says_more
),
joined as (
    select own_id, min(other_id) as series_id
    from fit
    semi join narrow using (own_id)
    where other_id not in (select own_id from narrow)
    group by own_id
    having count(*) = 1
)
select
    coalesce(joined.series_id, member.own_id) as series_id,
    member.run_id,
    member.campaign,
    member.case_id,
    stated.gpu_model,
    stated.gpu_memory_mib,
    stated.framework_version,
    stated.implementation_version,
    member.trial as stated_trial,
    member.started_at,
    member.run_key,
    member.environment_id
from member
left join joined using (own_id)
join stated on stated.own_id = coalesce(joined.series_id, member.own_id);

create or replace temp table due_series as
select distinct series_id
from series_member
semi join due_pair
    on series_member.campaign is not distinct from due_pair.campaign and series_member.case_id = due_pair.case_id;

insert into series
select
    member.series_id,
    member.campaign,
    member.case_id,
    member.gpu_model,
    member.gpu_memory_mib,
    member.framework_version,
    member.implementation_version,
    -- Two stated values that differ; one that is not stated is no difference.
    nullif(concat_ws(
        ', ',
        case when min(environment.gpu_family) <> max(environment.gpu_family) then 'gpu_family' end,
        case when min(environment.gpus_per_node) <> max(environment.gpus_per_node) then 'gpus_per_node' end,
        case when min(environment.driver_version) <> max(environment.driver_version) then 'driver_version' end,
        case when min(environment.cuda_version) <> max(environment.cuda_version) then 'cuda_version' end,
        case when min(environment.cudnn_version) <> max(environment.cudnn_version) then 'cudnn_version' end,
        case when min(environment.nccl_version) <> max(environment.nccl_version) then 'nccl_version' end,
        case when min(environment.mpi_version) <> max(environment.mpi_version) then 'mpi_version' end,
        case when min(environment.image) <> max(environment.image) then 'image' end,
        case when min(environment.interconnect) <> max(environment.interconnect) then 'interconnect' end,
        case when min(environment.topology) <> max(environment.topology) then 'topology' end,
        case when min(environment.cpu_model) <> max(environment.cpu_model) then 'cpu_model' end,
        case when min(environment.cpu_count) <> max(environment.cpu_count) then 'cpu_count' end,
        case when min(environment.memory_mib) <> max(environment.memory_mib) then 'memory_mib' end,
        case when min(environment.os) <> max(environment.os) then 'os' end,
        case when min(environment.python_version) <> max(environment.python_version) then 'python_version' end,
        case when min(environment.libraries) <> max(environment.libraries) then 'libraries' end
    ), '') as mixed
from series_member as member
left join environment using (environment_id)
semi join due_series using (series_id)
group by
    member.series_id,
    member.campaign,
    member.case_id,
    member.gpu_model,
    member.gpu_memory_mib,
    member.framework_version,
    member.implementation_version;

-- A stated trial number stands where no other run of the series states it; the others take the free numbers from 1
-- in the order of their start. The n-th free number is n plus the stated numbers below it, counted by a running sum:
-- the j-th stated number s has s - j free ones below it, so it comes before the free number s - j + 1.
insert into series_run
with member as (
    select
        series_id,
        run_id,
        case
            when stated_trial is not null and count(*) over (partition by series_id, stated_trial) = 1
                then stated_trial
        end as own_trial,
        started_at,
        run_key
    from series_member
    semi join due_series using (series_id)
),
place as (
    select
        series_id,
        run_id,
        own_trial,
        case
            when own_trial is null
                then row_number() over (
                    partition by series_id, own_trial is null order by started_at nulls last, run_key
                )
            when own_trial >= 1
                then own_trial + 1
                    - row_number() over (partition by series_id, own_trial is null, own_trial >= 1 order by own_trial)
        end as slot
    from member
)
select
    series_id,
    run_id,
    coalesce(
        own_trial,
        slot + count(*) filter (where own_trial >= 1) over (
            partition by series_id order by slot nulls first, own_trial nulls last
            rows between unbounded preceding and current row
        )
    ) as trial
from place;

