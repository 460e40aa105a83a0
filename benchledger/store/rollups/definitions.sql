-- Which rules and formats are not those that the kept tables were filled by.

create or replace temp table definition_now as
select 'rule' as kind, now.rule as name, hash(now) as print
from rule as now
union all
select 'format', format, hash(framework, implementation, default_rule, role)
from format;

create or replace temp table changed_definition as
select kind, name
from (
    (from definition_now except from kept_definition)
    union all
    (from kept_definition except from definition_now)
)
group by all;
