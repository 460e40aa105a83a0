-- One row per line and point, in their order: its trials. A line is one quantity of a case on a machine by one rule.
-- A point is a day of a series, a version of the framework, or one of the implementation (such as a commit).
-- reads: asked_trial, kept.accepted_change, kept.run_alias, run
with recursive accepted(run_key, quantity, reason, accepted_by) as (
    select run_key, quantity, reason, accepted_by from kept.accepted_change
    union
    select run_alias.run_key, accepted.quantity, accepted.reason, accepted.accepted_by
    from accepted
    join kept.run_alias on run_alias.old_key = accepted.run_key
),
trial as (
    select
        asked_trial.*,
        -- The lines of bench plot history.
        hash(case_id, system, coalesce(gpu_model, gpu_family), gpu_memory_mib, rule, unit)::varchar as line,
        run.started_at,
        case getvariable('over')
            when 'version' then framework_version
            when 'commit' then implementation_version
            else strftime(run.started_at, '%Y-%m-%d')
        end as point,
        if(getvariable('over') = 'date', series_id, null) as part
    from asked_trial
    join (select run_id, started_at from run) as run using (run_id)
    where value > 0
    -- A run in several campaigns is one trial.
    qualify row_number() over (partition by quantity, line, run_id order by campaign, series_id) = 1
),
decided as (
    select
        trial.run_key, trial.quantity, string_agg(distinct reason, '; ' order by reason) as reason,
        string_agg(distinct accepted_by, '; ' order by accepted_by) as accepted_by
    from trial
    join accepted on accepted.run_key = trial.run_key and coalesce(accepted.quantity, trial.quantity) = trial.quantity
    group by all
)
select
    quantity, line, point, min(started_at) as started_at, any_value(name) as name, any_value(framework) as framework,
    any_value(gpu_model) as gpu_model, any_value(system) as system, any_value(rule) as rule, any_value(unit) as unit, min(campaign) as campaign,
    min(cell) as cell, list(value order by run_key) as trials, list(run_id order by run_key) as run_ids,
    min(run_key) as run_key, list(distinct run_key) as run_keys,
    max(reason) as reason, max(accepted_by) as accepted_by
from trial
left join decided using (run_key, quantity)
where point is not null
group by quantity, line, point, part
-- Versions by their numbers: 2.10 comes after 2.9.
order by
    quantity, name, line,
    if(getvariable('over') = 'version', list_transform(regexp_extract_all(point, '\d+'), lambda digits: try_cast(digits as hugeint)), null),
    started_at, point, run_key;
