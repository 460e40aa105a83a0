-- Which rules and formats are not those that the kept tables were filled by, with what they are now.

create or replace temp table changed_definition as
with definition_now as (
    select 'rule' as kind, now.rule as name, hash(now) as print
    from rule as now
    union all
    select 'format', format, hash(framework, implementation, default_rule, role)
    from format
)
select kind, name, definition_now.print
from definition_now
full join kept_definition using (kind, name)
where definition_now.print is distinct from kept_definition.print;
