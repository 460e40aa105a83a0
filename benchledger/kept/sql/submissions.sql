-- Runs of one submission are one series, whatever their environments say: those of a case and a benchmark that a suite
-- demands, whose logs lie in one folder. What they do not agree on is unknown of the series, and stands in series.mixed.
-- reads: due_member, fact, kept.demanded_runs, run_log, sighting
-- makes: due_member

with submitted as (
    select distinct
        member.series_id, member.campaign, member.case_id, member.system, fact.value as benchmark, sighting.folder
    from due_member as member
    join fact using (run_id)
    join run_log using (run_id)
    join sighting on sighting.log_id = run_log.log_id and sighting.campaign is not distinct from member.campaign
    where fact.name = 'benchmark' and fact.used and fact.value in (select benchmark from kept.demanded_runs)
        and run_log.role = 'train' and sighting.status in ('loaded', 'duplicate')
),
whole as (
    select own.series_id as own_id, min(other.series_id) as series_id
    from submitted as own
    join submitted as other
        on own.case_id = other.case_id and own.benchmark = other.benchmark and own.folder = other.folder
            and own.campaign is not distinct from other.campaign and own.system is not distinct from other.system
    group by own.series_id
),
agreed as (
    select
        whole.series_id,
        case when min(gpu_model) = max(gpu_model) then min(gpu_model) end as gpu_model,
        case when min(gpu_memory_mib) = max(gpu_memory_mib) then min(gpu_memory_mib) end as gpu_memory_mib,
        case when min(framework_version) = max(framework_version) then min(framework_version) end as framework_version,
        case
            when min(implementation_version) = max(implementation_version) then min(implementation_version)
        end as implementation_version,
        case when min(variant) = max(variant) then min(variant) end as variant
    from whole
    join due_member on due_member.series_id = whole.own_id
    group by whole.series_id
    having count(distinct whole.own_id) > 1
)
update due_member
set
    series_id = agreed.series_id,
    gpu_model = agreed.gpu_model,
    gpu_memory_mib = agreed.gpu_memory_mib,
    framework_version = agreed.framework_version,
    implementation_version = agreed.implementation_version,
    variant = agreed.variant
from whole
join agreed using (series_id)
where due_member.series_id = whole.own_id;
