-- One row per run, rule and number that a table may print: speeds of the run, and speeds, speed-ups and memory of its
-- series, whose rule may round over trials.
-- reads: run_speed, speed_table, speedup_table, memory_table, kept.series_run, kept.rule, kept.run_format
with number as (
    select run_id, rule, 'speed' as quantity, unit, value, is_default, false as over_trials
    from run_speed
    where phase = 'train' and value is not null and isfinite(value)
    union
    select run_id, rule, 'speed', unit, value, is_default, true
    from speed_table
    join kept.series_run using (series_id)
    where value is not null and isfinite(value)
    union
    select run_id, rule, 'speedup', '1', speedup, is_default, true
    from speedup_table
    join kept.series_run using (series_id)
    where speedup is not null and isfinite(speedup) and scaling = 'weak'
    union
    select run_id, definition, 'memory', 'MiB', value_mib, true, true
    from memory_table
    join kept.series_run using (series_id)
    where value_mib is not null
)
select
    number.run_id, number.rule, number.quantity, number.unit, number.value, number.over_trials,
    -- A rule that names the program's format was made for its numbers; others are for any program.
    case
        when number.is_default then 'default'
        when list_contains(rule.formats, run_format.format) then 'named'
        else 'general'
    end as rule_is
from number
left join kept.rule on rule.rule = number.rule
left join kept.run_format on run_format.run_id = number.run_id
order by all;
