-- A run with a fact that its sources (log, sidecar, manifest, facts.toml) state differently, or that none decides.
-- severity: warning
with said as (
    select run_id, name, value, source, min({'log_id': log_id, 'line': line, 'logged': value_logged}) as said_at
    from fact
    group by all
),
-- What the log wrote where that is another word, and its line: nothing where no line says it.
worded as (
    select
        said.*,
        concat_ws(', ', '"' || nullif(said_at.logged, value) || '"', 'line ' || said_at.line) as words,
        source || if(words = '', '', ' (' || words || ')') as whence
    from said
)
select
    conflict.run_id,
    other.said_at.log_id as log_id,
    other.said_at.line as line,
    case
        when used_value is null
            then format('{}: {} by {}, and nothing decides', conflict.name, other_value, coalesce(other.whence, other_source))
        else format(
            '{}: {} counts, by {}; not {} by {}', conflict.name, used_value,
            coalesce(used.whence, used_source) || if(used.said_at.log_id <> other.said_at.log_id, ' of another log', ''),
            other_value, coalesce(other.whence, other_source)
        )
    end as about
from conflict
left join worded as other
    on other.run_id = conflict.run_id
    and other.name = conflict.name
    and other.value = conflict.other_value
    and other.source = conflict.other_source
left join worded as used
    on used.run_id = conflict.run_id
    and used.name = conflict.name
    and used.value = conflict.used_value
    and used.source = conflict.used_source
where other_source <> 'name' or used_value is null
group by all;
