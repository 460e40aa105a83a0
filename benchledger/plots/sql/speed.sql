-- One row per series and rule: its speed, and its range over the trials; without a speed if trials are not alike.
-- reads: kept.rule, speed_table
select
    format('{} {}', series_id, rule) as line, value as y, lowest, highest,
    speed_table.* exclude (unit, lowest, highest, trial_runs),
    -- The speed of one GPU and the speed of all share no axis.
    if(rules.per is null, unit, unit || ' per ' || rules.per) as unit, trial_runs as runs
from speed_table
join (select rule, per from kept.rule) as rules using (rule)
where value is not null or (speed_table.status = 'mixed' and lowest is not null)
