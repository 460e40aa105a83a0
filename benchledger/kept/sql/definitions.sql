-- Which rules and formats are not those that the kept tables were filled by, with what they are now.
-- reads: kept.rule, kept.format, kept.definition_hash, kept.demanded_runs, kept.setting_word
-- makes: changed_definition

create or replace temp table changed_definition as
with definition_now as (
    select 'rule' as kind, now.rule as name, hash(now, demanded.runs) as print
    from kept.rule as now
    left join (
        select rule, list_sort(list({'benchmark': benchmark, 'runs': runs})) as runs
        from kept.demanded_runs
        group by rule
    ) as demanded on demanded.rule = now.rule
    union all
    select 'format', format, hash(framework, implementation, default_rule, role, has_planned_speed, steps_are_passes)
    from kept.format
    union all
    select 'settings', 'words', hash(list_sort(list(setting_word)))
    from kept.setting_word
)
select kind, name, definition_now.print
from definition_now
full join kept.definition_hash using (kind, name)
where definition_now.print is distinct from definition_hash.print;
