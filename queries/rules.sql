-- One row per rule: its method, its owner, and how many runs and series have a speed by it.
-- $rule = '*', a glob of kept.rule.rule
-- Example: bench query rules -p rule='ngc.*'
with run_count as (
    select rule, count(distinct run_id) as runs, count(distinct run_id) filter (where is_default) as default_runs
    from run_speed
    where value is not null
    group by rule
),
series_count as (
    select rule, count(distinct series_id) as series
    from speed_table
    where value is not null
    group by rule
)
select
    rule.rule, rule.description,
    coalesce(rule.quantity, rule.kind) as reads,
    coalesce(array_to_string(rule.formats, ', '), 'any') as formats,
    rule."window", rule.statistic, rule.average_of, rule.ranks, rule.unit,
    rule.rounding || ' ' || rule.rounding_digits as rounding,
    rule.trial_statistic,
    rule.trial_rounding || ' ' || rule.trial_rounding_digits as trial_rounding,
    rule.fallback,
    coalesce(run_count.runs, 0) as runs,
    coalesce(run_count.default_runs, 0) as default_runs,
    coalesce(series_count.series, 0) as series,
    rule.source
from kept.rule
left join run_count using (rule)
left join series_count using (rule)
where rule.rule glob $rule
order by rule.rule;
