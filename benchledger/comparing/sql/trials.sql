-- One row per quantity, series and trial with a number; a series without any has one row, whose value is NULL.
-- reads: kept.cell, run_speed, memory_table, kept.series_run, run_memory, run, run_convergence, kept.series_case,
--   kept.series_environment
with measured as (
    select 'speed' as quantity, cell.series_id, run_speed.run_id, cell.rule, cell.unit, run_speed.value,
        cell.value as side_value, cell.status, cell.cell
    from kept.cell
    left join run_speed
        on list_contains(cell.trial_runs, run_speed.run_id)
        and run_speed.rule = cell.rule
        and run_speed.unit is not distinct from cell.unit
        and run_speed.phase = 'train'
        -- Where runs differ too much for one number, no trial stands for the case.
        and cell.value is not null
    where if($rule is null, cell.is_default, cell.rule = $rule)
    union all by name
    select 'memory' as quantity, memory.series_id, trial.run_id, memory.definition as rule, 'MiB' as unit,
        trial.value, memory.value_mib as side_value, memory.status, memory.cell
    from memory_table as memory
    left join (
        select series_id, run_id, definition, max(value_mib) as value
        from kept.series_run
        join run_memory using (run_id)
        join run using (run_id)
        where status in ('ok', 'unknown')
        group by all
    ) as trial using (series_id, definition)
    union all by name
    -- A loss after more steps is another loss.
    select 'final_loss' as quantity, series_id, run_id, format('{} at step {}', loss_name, last_step) as rule,
        null as unit, final_loss as value, median(final_loss) over (partition by series_id, loss_name, last_step)
        as side_value, status, null as cell
    from kept.series_run
    join run_convergence using (run_id)
    where status in ('ok', 'unknown') and isfinite(final_loss) and last_step is not null
        and step_restarts is not true
    union all by name
    select 'time_to_target' as quantity, series_id, run_id, $target_text as rule, 's' as unit,
        target_seconds as value, median(target_seconds) over (partition by series_id) as side_value,
        status, null as cell
    from kept.series_run
    join run_convergence_of('', coalesce($target_name, ''), $target) as convergence using (run_id)
    where $target is not null and target_seconds > 0
    union all by name
    -- Where the program itself names its target (MLPerf): the seconds of the runs that reached it.
    select 'time_to_target' as quantity, series_id, run_id, 'the program''s own target' as rule, 's' as unit,
        seconds as value, median(seconds) over (partition by series_id) as side_value, status, null as cell
    from kept.series_run
    join run_convergence using (run_id)
    where $target is null and outcome = 'reached' and seconds > 0
)
select
    measured.quantity, measured.rule, measured.unit, measured.value, measured.side_value, measured.status,
    measured.cell, measured.run_id, run.run_key,
    series_case.* exclude (mixed),
    series_environment.* exclude (series_id, runs)
from measured
join kept.series_case using (series_id)
join kept.series_environment using (series_id)
left join run on run.run_id = measured.run_id
order by quantity, name, series_id, rule, unit, run.started_at, run_key;
