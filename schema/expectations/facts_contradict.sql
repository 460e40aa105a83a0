-- A run of which its logs, sidecars, manifest or facts.toml say two things, or of which nothing decides.
-- severity: warning
select
    run_id,
    case
        when used_value is null then format('{}: {} by {}, and nothing decides', name, other_value, other_source)
        else format('{}: {} by {}, {} by {}', name, used_value, used_source, other_value, other_source)
    end as about
from conflict
where other_source <> 'name' or used_value is null;
