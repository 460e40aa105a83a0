-- A series whose fastest trial is more than 5 % above its slowest: an average over it says little.
-- severity: note
-- $most = 1.05
select
    trial_runs[1] as run_id,
    cell,
    format('{} trials from {:.6g} to {:.6g} {}', trials, lowest, highest, unit) as about,
    highest / lowest as value,
    $most as expected
from speed_table
where is_default and trials > 1 and highest > $most * lowest;
