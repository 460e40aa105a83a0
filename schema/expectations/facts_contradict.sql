-- A run of which its logs, sidecars, manifest or facts.toml say two things, or of which nothing decides.
-- severity: warning
select
    conflict.run_id,
    min({'log_id': fact.log_id, 'line': fact.line}).log_id as log_id,
    min({'log_id': fact.log_id, 'line': fact.line}).line as line,
    case
        when used_value is null then format('{}: {} by {}, and nothing decides', conflict.name, other_value, other_source)
        else format('{}: {} by {}, {} by {}', conflict.name, used_value, used_source, other_value, other_source)
    end as about
from conflict
left join fact
    on fact.run_id = conflict.run_id
    and fact.name = conflict.name
    and fact.value = conflict.other_value
    and fact.source = conflict.other_source
where other_source <> 'name' or used_value is null
group by all;
