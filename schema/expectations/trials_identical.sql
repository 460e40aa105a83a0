-- Two trials of one series with the very same speed, to the last digit of six or more: one log was copied for the other.
-- severity: warning
with trial as (
    select speed_table.cell, run_speed.run_id, run_speed.value, run_speed.unit
    from (select cell, rule, unit, unnest(trial_runs) as run_id from speed_table where is_default and trials > 1)
        as speed_table
    join run_speed using (run_id, rule)
    where run_speed.unit = speed_table.unit and run_speed.phase = 'train' and run_speed.records_used > 0
)
select
    max(run_id) as run_id,
    cell,
    format('{} trials of {:.9g} {}', count(*), value, unit) as about,
    value
from trial
where len(regexp_replace(format('{:.9g}', value), '[^0-9]|0+$', '', 'g')) >= 6
group by cell, value, unit
having count(*) > 1;
