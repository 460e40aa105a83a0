-- A series is vague if another one of its campaign and case agrees with all that it states, and states more. Its runs join
-- that other series where exactly one fits.
-- reads: due_member
-- makes: due_member

with stated as (
    select distinct
        series_id as own_id, campaign, case_id, system, gpu_model, gpu_memory_mib, framework_version,
        implementation_version, variant
    from due_member
),
fit as (
    select
        one.own_id,
        other.own_id as other_id,
        (one.system is null or other.system is not null)
        and (one.gpu_model is null or other.gpu_model is not null)
        and (one.gpu_memory_mib is null or other.gpu_memory_mib is not null)
        and (one.framework_version is null or other.framework_version is not null)
        and (one.implementation_version is null or other.implementation_version is not null) as says_more
    from stated as one
    join stated as other
        on one.case_id = other.case_id and one.campaign is not distinct from other.campaign
    where one.own_id <> other.own_id
        and (one.system = other.system) is not false
        and one.variant is not distinct from other.variant
        and (one.gpu_model = other.gpu_model) is not false
        and (one.gpu_memory_mib = other.gpu_memory_mib) is not false
        and (one.framework_version = other.framework_version) is not false
        and (one.implementation_version = other.implementation_version) is not false
),
vague as (
    select distinct own_id
    from fit
    where says_more
),
joined as (
    select own_id, min(other_id) as series_id
    from fit
    semi join vague using (own_id)
    where other_id not in (select own_id from vague)
    group by own_id
    having count(*) = 1
)
update due_member
set
    series_id = stated.own_id,
    system = stated.system,
    gpu_model = stated.gpu_model,
    gpu_memory_mib = stated.gpu_memory_mib,
    framework_version = stated.framework_version,
    implementation_version = stated.implementation_version
from joined
join stated on stated.own_id = joined.series_id
where due_member.series_id = joined.own_id;
