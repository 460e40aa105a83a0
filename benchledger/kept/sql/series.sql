-- Series and trial numbers of the runs in due_member.
-- reads: due_member, environment, series_difference
-- makes: kept.series_member, series, kept.series_run

insert into kept.series_member by name
from due_member;

insert into series
select
    member.series_id,
    member.campaign,
    member.case_id,
    member.system,
    member.gpu_model,
    member.gpu_memory_mib,
    member.framework_version,
    member.implementation_version,
    member.variant,
    -- Two stated values that differ; one that is not stated is no difference.
    nullif(concat_ws(
        ', ',
        -- Of these four only runs of one submission differ.
        case when min(environment.gpu_model) <> max(environment.gpu_model) then 'gpu_model' end,
        case when min(environment.gpu_memory_mib) <> max(environment.gpu_memory_mib) then 'gpu_memory_mib' end,
        case when min(environment.framework_version) <> max(environment.framework_version) then 'framework_version' end,
        case
            when min(environment.implementation_version) <> max(environment.implementation_version)
                then 'implementation_version'
        end,
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
        case when min(environment.libraries) <> max(environment.libraries) then 'libraries' end,
        any_value(differing.settings), any_value(differing.names)
    ), '') as mixed
from due_member as member
left join environment using (environment_id)
left join (
    select
        series_id,
        'settings (' || string_agg(distinct name, ', ' order by name) filter (where kind = 'settings') || ')' as settings,
        'names (' || string_agg(distinct name, ', ' order by name) filter (where kind = 'names') || ')' as names
    from series_difference
    group by series_id
) as differing using (series_id)
group by
    member.series_id,
    member.campaign,
    member.case_id,
    member.system,
    member.gpu_model,
    member.gpu_memory_mib,
    member.framework_version,
    member.implementation_version,
    member.variant;

-- A stated trial number stands where no other run of the series states it; the others take the free numbers from 1
-- in the order of their start. The n-th free number is n plus the stated numbers below it, counted by a running sum:
-- the j-th stated number s has s - j free ones below it, so it comes before the free number s - j + 1.
insert into kept.series_run
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
    from due_member
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
