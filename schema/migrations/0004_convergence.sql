-- Time to train, convergence, accuracy: docs/convergence.md says what each of these words means.

-- A negative time is a clock that was set: no time.
create macro seconds_since(logged_at, clock_s, started_at, started_s) as
    case
        when coalesce((epoch_us(logged_at) - epoch_us(started_at)) / 1e6, clock_s - started_s) >= 0
            then coalesce((epoch_us(logged_at) - epoch_us(started_at)) / 1e6, clock_s - started_s)
    end;
comment on macro seconds_since is
    'seconds_since(logged_at, clock_s, started_at, started_s): the time from a start by either clock; NULL before '
    'it.';

-- A clock without a date, and a day more after each midnight of the log.
create macro past_midnight(clock_s, midnights, log_id, byte_offset) as
    clock_s + 86400 * len(list_filter(midnights, lambda x: x.log_id = log_id and x.byte_offset <= byte_offset));
comment on macro past_midnight is
    'past_midnight(clock_s, midnights, log_id, byte_offset): a time without a date, plus one day for each midnight '
    'before it (run_clock.midnights).';

-- Over how many printed losses a loss is averaged: a quarter of them, 10 at most.
create macro loss_window(losses) as greatest(1, least(10, losses // 4));
comment on macro loss_window is
    'loss_window(losses): over how many losses a mean loss is taken: a quarter of the printed ones, 10 at most.';

-- Fewer losses than this show no trend: their window would be one or two records.
create macro fewest_losses() as 12;
comment on macro fewest_losses is 'fewest_losses(): a run that prints fewer losses than this has no trend.';

-- A sum of decimals is a decimal but for its last bits: these say nothing, and means of the same losses would differ by them.
create macro plain_mean(total, losses) as
    if(
        abs(floor(total / losses * 1e9 + 0.5) / 1e9 - total / losses) <= abs(total / losses) * 5e-16,
        floor(total / losses * 1e9 + 0.5) / 1e9,
        total / losses
    );
comment on macro plain_mean is
    'plain_mean(total, losses): a mean of losses, rounded to nine decimals if it differs from them only by the error '
    'of the sum.';

-- What steps took, in whole picoseconds: a sum of these is the same in any order. A line that is printed twice adds nothing.
create macro step_ps(step_s, steps_since) as
    try_cast(round(step_s * if(steps_since = 0, 0, greatest(steps_since, 1)) * 1e12) as bigint);
comment on macro step_ps is
    'step_ps(step_s, steps_since): the time of steps in whole picoseconds, so that a sum is the same in any order.';

-- If the steps of a program are passes, one global batch takes gradient_accumulation of them.
create view kept.run_passes as
select
    run.run_id,
    global_batch_size,
    if(coalesce(steps_are_passes, false), coalesce(gradient_accumulation, 1), 1) as passes
from main.run
join main.bench_case using (case_id)
left join kept.run_format using (run_id)
left join kept.format using (format);
comment on view kept.run_passes is
    'One row per run: the batch of an optimizer step, and how many steps of the log make one.';
comment on column kept.run_passes.passes is
    'Steps of the log per optimizer step: gradient_accumulation if the program calls each pass a step, else 1.';

create macro samples_of(steps, global_batch_size, passes) as try(steps * global_batch_size // passes);
comment on macro samples_of is
    'samples_of(steps, global_batch_size, passes): how many samples these steps of a log take; NULL if one is unknown.';

create view kept.loss_curve as
with time_of_step as (
    select shape_id, min(ordinal) as ordinal
    from kept.shape
    where quantity = 'step_time' and unit = 's' and kind = 'step'
        and shape_id not in (select shape_id from kept.shape where quantity = 'micro_step')
    group by shape_id
),
printed as (
    select
        record.run_id,
        record.part,
        record.log_id,
        record.line,
        record.byte_offset,
        record.step,
        record.epoch,
        record.rank,
        record.logged_at,
        record.clock_s,
        record."values"[time_of_step.ordinal] as step_s,
        shape.name,
        record."values"[shape.ordinal] as loss
    from kept.run_record as record
    join kept.shape using (shape_id)
    left join time_of_step using (shape_id)
    anti join kept.excluded_run using (run_id)
    where shape.quantity = 'loss'
        and shape.kind = 'step'
        and shape.phase = 'train'
        and record."values"[shape.ordinal] is not null
    -- Each rank prints the loss of its own samples: one of them is followed.
    qualify coalesce(record.rank, -1) = min(coalesce(record.rank, -1)) over (partition by record.run_id, shape.name)
),
placed as (
    select
        *,
        row_number() over curve as nth,
        count(*) over (partition by run_id, name) as losses,
        step - lag(step) over curve as steps_since,
        list(loss) over (curve rows between 9 preceding and current row) as recent
    from printed
    window curve as (partition by run_id, name order by part, log_id, byte_offset)
),
counted as (
    select
        *,
        list_slice(recent, -loss_window(losses), -1) as averaged,
        bool_or(steps_since < 0) over (partition by run_id, name) is true as restarts,
        sum(step_ps(step_s, steps_since)) filter (where nth > 1) over (
            partition by run_id, name order by nth rows between unbounded preceding and current row
        ) / 1e12 as summed_s
    from placed
),
timed as (
    select
        counted.*,
        run_clock.run_id is null as is_undated,
        seconds_since(
            counted.logged_at,
            past_midnight(counted.clock_s, run_clock.midnights, counted.log_id, counted.byte_offset),
            run_clock.started_at,
            run_clock.started_s
        ) as logged_s
    from counted
    left join kept.run_clock using (run_id)
)
select
    timed.run_id,
    timed.name,
    timed.name = loss.name as is_main,
    timed.nth,
    timed.losses,
    timed.epoch,
    timed.step,
    timed.restarts as step_restarts,
    -- A step that is counted from 0 again in each epoch does not tell how many there were.
    case when not timed.restarts then samples_of(timed.step, global_batch_size, passes) end as samples,
    coalesce(timed.logged_s, case when timed.is_undated and not timed.restarts then timed.summed_s end) as seconds,
    case
        when timed.logged_s is not null then 'log'
        when timed.is_undated and not timed.restarts and timed.summed_s is not null then 'step times'
    end as seconds_from,
    timed.loss,
    case
        when timed.nth >= loss_window(timed.losses) and isfinite(list_sum(timed.averaged))
            then plain_mean(list_sum(timed.averaged), loss_window(timed.losses))
    end as mean_loss,
    list_min(timed.averaged) as mean_lowest,
    list_max(timed.averaged) as mean_highest,
    timed.rank,
    timed.log_id,
    timed.line,
    timed.byte_offset
from timed
join kept.loss using (run_id)
join kept.run_passes on run_passes.run_id = timed.run_id;
comment on view kept.loss_curve is
    'One row per loss that a run prints while it trains; of several ranks the lowest. Without excluded runs.';
comment on column kept.loss_curve.name is 'Name of the loss as the log spells it.';
comment on column kept.loss_curve.is_main is
    'Whether it is the main loss of the run: the total where one is printed, else the one that is printed most often,'
    ' of several the first by name.';
comment on column kept.loss_curve.nth is 'Place of the loss among those of its name, from 1.';
comment on column kept.loss_curve.losses is 'How many losses of this name the run prints.';
comment on column kept.loss_curve.epoch is 'Epoch, where one is logged.';
comment on column kept.loss_curve.step is 'Step as logged.';
comment on column kept.loss_curve.step_restarts is
    'Whether the step numbers fall somewhere, as where each epoch counts from 0: then they do not tell how many '
    'steps there were.';
comment on column kept.loss_curve.samples is
    'Samples seen: step times global batch size, over run_passes.passes; NULL if one is unknown, or steps restart.';
comment on column kept.loss_curve.seconds is
    'Seconds since the start of the run''s time (run_clock); where the log dates nothing the sum of its step times '
    'after the first loss.';
comment on column kept.loss_curve.seconds_from is
    'log (its clock), step times (summed), or NULL where nothing tells the time.';
comment on column kept.loss_curve.loss is 'The loss as logged; may be NaN or infinite.';
comment on column kept.loss_curve.mean_loss is
    'Mean of this loss and those before it: a quarter of all losses, 10 at most; NULL where there are too few '
    'before it, or one is not finite.';
comment on column kept.loss_curve.mean_lowest is 'The lowest loss of that mean.';
comment on column kept.loss_curve.mean_highest is 'The highest loss of that mean.';
comment on column kept.loss_curve.rank is 'Rank that printed it, where ranks print.';

create view kept.evaluation as
from kept.evaluation_all
anti join kept.excluded_run using (run_id);
comment on view kept.evaluation is
    'One row per metric that an evaluation of a run gives; of several ranks the lowest. Without excluded runs.';
comment on column kept.evaluation.name is 'Name of the metric as the log spells it.';
comment on column kept.evaluation.is_main is
    'Whether it is the main metric of the run: accuracy before score before error_rate before perplexity before loss,'
    ' then the one that is printed most often, then the first by name.';
comment on column kept.evaluation.kind is
    'step or summary; where a run sums up its evaluations, the parts that it prints on the way are left out.';
comment on column kept.evaluation.epoch is 'Epoch, where one is logged.';
comment on column kept.evaluation.step is 'Step, where one is logged.';
comment on column kept.evaluation.quantity is
    'accuracy or score (the higher the better); error_rate, perplexity or loss (the lower the better).';
comment on column kept.evaluation.value is 'Value as logged.';
comment on column kept.evaluation.unit is
    '% or 1 where it is known whether it is a percentage or a fraction; NULL of scores such as BLEU, and where '
    'nobody knows.';
comment on column kept.evaluation.rank is 'Rank that printed it, where ranks print.';

-- What became of a run ----------------------------------------------------------------------------------------

-- Under a metric's name, a glob of names, or the word for what metrics measure (accuracy); '' for the one that tells the run.
create macro is_metric(wanted, name, quantity, is_main) as
    case when wanted = '' then is_main else lower(name) glob lower(wanted) or (is_main and quantity = lower(wanted)) end;
comment on macro is_metric is
    'is_metric(wanted, name, quantity, is_main): whether `wanted` means this metric: a glob of its name, its'
    ' quantity, or '''' for the main metric.';

-- A mean of ten times 12.73 is a last bit more than 12.73.
create macro is_at(mean_loss, target) as mean_loss <= target + 1e-12 * abs(target);
comment on macro is_at is
    'is_at(mean_loss, target): whether a mean loss reaches a target, rounding errors aside.';

-- The first place where a run is at a target: of 'loss' by the mean loss, of a metric by an evaluation. Few losses decide it
-- if all of them, or none, are at the target: then so is each mean of them. The first mean at a target is lower than all
-- before it.
create macro at_target(target_name, target) as table
select
    main_loss.run_id,
    null as metric,
    main_loss.is_decided as is_known,
    if(
        main_loss.is_decided and low.run_id is not null,
        {
            'epoch': low.epoch, 'step': low.step,
            'samples': if(main_loss.step_restarts, null, samples_of(low.step, main_loss.global_batch_size, main_loss.passes)),
            'seconds': if(main_loss.step_restarts and main_loss.is_undated, null, low.seconds),
            'value': low.mean_loss, 'log_id': low.log_id, 'line': low.line
        },
        null
    ) as reached
from (
    select
        loss.run_id,
        loss.step_restarts,
        run_clock.run_id is null as is_undated,
        global_batch_size,
        passes,
        loss.losses >= fewest_losses() or loss.lowest > target or loss.highest <= target as is_decided
    from kept.loss
    join kept.run_passes using (run_id)
    left join kept.run_clock using (run_id)
    where target_name = 'loss'
) as main_loss
left join (
    select low_loss.*
    from kept.low_loss
    join (
        select run_id, min(nth) as nth
        from kept.low_loss
        where target_name = 'loss' and is_at(mean_loss, target)
        group by run_id
    ) as first_low using (run_id, nth)
) as low on low.run_id = main_loss.run_id
union all
select
    run_id,
    name,
    true,
    arg_min(
        {'epoch': epoch, 'step': step, 'samples': null, 'seconds': seconds, 'value': coalesce(fraction, value), 'log_id': log_id, 'line': line},
        nth
    ) filter (where isfinite(value) and if(higher_is_better, coalesce(fraction, value) >= target, coalesce(fraction, value) <= target))
from kept.evaluation_all
where target_name not in ('', 'loss') and is_metric(target_name, name, quantity, is_main)
group by run_id, name;
comment on macro table at_target is
    'at_target(target_name, target): where each run first reaches a target of ''loss'' or of a metric, as a struct; '
    'NULL if it never does.';

-- All runs that print a loss or a metric, and where they reached a target: 'loss' or the name of a metric, and its value.
create macro run_convergence_of(metric_wanted, target_name, target) as table
with judged as (
    select
        loss.*,
        loss_window(losses) as window_losses,
        if(step_restarts, null, samples_of(last_step, global_batch_size, passes)) as samples,
        -- Each criterion by its name; docs/convergence.md has them.
        case
            when not isfinite(last_loss) then 'loss.not_finite'
            when losses < fewest_losses() or final_mean is null then null
            when final_lowest > start_highest then 'loss.above_start'
            when final_mean - lowest_mean > (start_mean - lowest_mean) / 2
                and final_mean - lowest_mean > 0.05 * abs(lowest_mean)
                and final_lowest > lowest_highest
                then 'loss.rebound'
        end as diverged_by
    from kept.loss
    join kept.run_passes using (run_id)
),
quality as (
    select
        run_id,
        name as metric,
        any_value(quantity) as metric_quantity,
        any_value(unit) as metric_unit,
        count(*) as evaluations,
        arg_max({'value': value, 'epoch': epoch, 'step': step}, nth) as latest,
        arg_min(
            {
                'value': value, 'fraction': fraction, 'epoch': epoch, 'step': step, 'seconds': seconds,
                'log_id': log_id, 'line': line
            },
            (if(higher_is_better, -value, value), nth)
        ) filter (where isfinite(value)) as best
    from kept.evaluation_all
    where is_metric(if(target_name in ('', 'loss'), metric_wanted, target_name), name, quantity, is_main)
    group by run_id, name
),
target as (
    select * from at_target(target_name, target)
)
select
    run.run_id,
    run.case_id,
    run.run_key,
    run.status,
    judged.name as loss_name,
    judged.losses,
    judged.window_losses,
    judged.losses_not_finite,
    judged.first_step,
    whole.last_step,
    judged.step_restarts,
    whole.last_epoch,
    whole.samples,
    judged.start_mean as first_loss,
    whole.final_mean as final_loss,
    whole.lowest_mean as lowest_loss,
    whole.lowest_step,
    whole.last_loss,
    whole.log_id as loss_log_id,
    whole.line as loss_line,
    whole.diverged_by,
    quality.metric,
    quality.metric_quantity,
    quality.metric_unit,
    quality.evaluations,
    rated.latest.value as last_value,
    rated.best.value as best_value,
    rated.best.fraction as best_fraction,
    rated.best.epoch as best_epoch,
    rated.best.step as best_step,
    rated.best.seconds as best_seconds,
    rated.best.log_id as best_log_id,
    rated.best.line as best_line,
    if(run_clock.run_id is null, whole.summed_s, if(run.status = 'ambiguous', null, run_clock.seconds)) as seconds,
    target.reached.epoch as target_epoch,
    target.reached.step as target_step,
    target.reached.samples as target_samples,
    target.reached.seconds as target_seconds,
    target.reached.value as target_value,
    target.reached.log_id as target_log_id,
    target.reached.line as target_line,
    case
        when target.reached is not null then 'reached'
        when target.is_known then 'not reached'
        when target_name <> '' then 'unknown'
        -- Only a program whose time has an end that it states says itself whether it got where it was to get.
        when run_clock.is_timed and run.status = 'ok' then 'reached'
        when run_clock.is_timed and run.status = 'failed' then 'not reached'
    end as outcome,
    case
        when run.status = 'ambiguous' then run.reason
        when outcome = 'unknown' and target.run_id is null then 'it prints no ' || target_name
        when outcome = 'unknown' then
            format('only some of {} losses are at the target, and fewer than {} show no trend', judged.losses, fewest_losses())
        when outcome = 'not reached' and target_name = '' then run.reason
    end as outcome_reason
from run
left join judged using (run_id)
left join quality using (run_id)
-- The log of an ambiguous run may hold two runs: the end of neither is shown.
left join judged as whole on whole.run_id = run.run_id and run.status <> 'ambiguous'
left join quality as rated
    on rated.run_id = run.run_id and rated.metric = quality.metric and run.status <> 'ambiguous'
left join kept.run_clock using (run_id)
left join target
    on target.run_id = run.run_id
    and run.status <> 'ambiguous'
    and target.metric is not distinct from if(target_name = 'loss', null, quality.metric)
anti join kept.excluded_run on excluded_run.run_id = run.run_id
where judged.run_id is not null or quality.run_id is not null;
comment on macro table run_convergence_of is
    'run_convergence_of(metric, target_name, target): run_convergence by another metric, and where each run reaches'
    ' a target: run_convergence_of('''', ''loss'', 6.5).';

create view run_convergence as
select
    * exclude (
        target_epoch, target_step, target_samples, target_seconds, target_value, target_log_id, target_line
    )
from run_convergence_of('', '', null::double);
comment on view run_convergence is
    'One row per run that prints a loss or a metric: where it began, where it ended, and whether it diverged. '
    'Without excluded runs.';
comment on column run_convergence.loss_name is 'The main loss of the run, as the log spells it.';
comment on column run_convergence.losses is 'How many of them it prints.';
comment on column run_convergence.window_losses is
    'Over how many of them first_loss, final_loss and lowest_loss are means: a quarter, 10 at most.';
comment on column run_convergence.step_restarts is 'Whether steps are counted from 0 again, as in each epoch.';
comment on column run_convergence.samples is
    'Samples seen until the last loss; NULL where batch size or steps do not tell.';
comment on column run_convergence.first_loss is 'Mean of the first losses.';
comment on column run_convergence.final_loss is 'Mean of the last losses; NULL where one of them is not finite.';
comment on column run_convergence.lowest_loss is 'The lowest mean of as many losses in a row.';
comment on column run_convergence.loss_log_id is 'Log of the last loss.';
comment on column run_convergence.loss_line is 'Line of the last loss.';
comment on column run_convergence.diverged_by is
    'The criterion by which it diverged: loss.not_finite, loss.above_start, loss.rebound; NULL if by none, or with '
    'too few losses to tell.';
comment on column run_convergence.metric is 'The main metric of the run, as the log spells it.';
comment on column run_convergence.evaluations is 'How many evaluations give it.';
comment on column run_convergence.last_value is 'The last one.';
comment on column run_convergence.best_value is 'The best one: highest of accuracy and score, lowest of the others.';
comment on column run_convergence.best_fraction is 'The best one as a fraction; NULL without a unit.';
comment on column run_convergence.best_epoch is 'Epoch of the best one.';
comment on column run_convergence.best_step is 'Step of the best one.';
comment on column run_convergence.best_seconds is 'Seconds from the start of the run''s time to the best one.';
comment on column run_convergence.best_log_id is 'Log of the best one.';
comment on column run_convergence.best_line is 'Line of the best one.';
comment on column run_convergence.seconds is
    'Seconds that the run took (run_clock); where its log dates nothing the sum of its step times after the first '
    'loss.';
comment on column run_convergence.outcome is
    'reached or not reached, where the program itself says so (MLPerf: run_stop with success, or aborted); NULL '
    'where it names no target.';
comment on column run_convergence.outcome_reason is
    'Reason for an outcome other than reached; of an ambiguous run, why the numbers of its end are not shown.';

-- Final losses and metrics are of the runs that ended; a target that a run reached before it failed was reached.
create macro convergence_table_of(metric_wanted, target_name, target) as table
with trial as (
    select
        series_run.series_id,
        series_run.trial,
        convergence.*,
        convergence.status in ('ok', 'unknown') as is_trial
    from kept.series_run
    join run_convergence_of(metric_wanted, target_name, target) as convergence using (run_id)
),
cell as (
    select
        series_id,
        loss_name,
        metric,
        metric_quantity,
        metric_unit,
        count(*) as runs,
        count(*) filter (where is_trial) as trials,
        count(*) filter (where not is_trial) as trials_dropped,
        median(last_step) filter (where is_trial and not step_restarts) as steps,
        coalesce(bool_or(step_restarts), false) as step_restarts,
        median(seconds) filter (where is_trial) as seconds,
        median(first_loss) filter (where is_trial) as first_loss,
        median(final_loss) filter (where is_trial) as final_loss,
        min(final_loss) filter (where is_trial) as final_loss_lowest,
        max(final_loss) filter (where is_trial) as final_loss_highest,
        min(losses) filter (where is_trial) as losses_fewest,
        min(window_losses) filter (where is_trial) as window_least,
        max(window_losses) filter (where is_trial) as window_most,
        median(best_value) filter (where is_trial) as best_value,
        min(best_value) filter (where is_trial) as best_lowest,
        max(best_value) filter (where is_trial) as best_highest,
        count(*) filter (where outcome = 'reached') as runs_reached,
        count(*) filter (where outcome = 'not reached') as runs_not_reached,
        count(*) filter (where outcome = 'unknown') as runs_outcome_unknown,
        median(target_step) filter (where step_restarts is not true) as target_steps,
        min(target_step) filter (where step_restarts is not true) as target_steps_lowest,
        max(target_step) filter (where step_restarts is not true) as target_steps_highest,
        median(target_seconds) as target_seconds,
        min(target_seconds) as target_seconds_lowest,
        max(target_seconds) as target_seconds_highest,
        count(*) filter (where diverged_by is not null) as runs_diverged,
        -- Of lists: aggregates that sort took two fifths of a table of cells of one run each.
        array_to_string(list_sort(list_distinct(list(diverged_by) filter (where diverged_by is not null))), ', ') as diverged_by,
        array_to_string(list_sort(list_distinct(list(outcome_reason) filter (where outcome_reason is not null))), '; ') as outcome_reason,
        array_to_string(list_sort(list_distinct(list(status) filter (where not is_trial))), '/') as dropped_by,
        case when bool_or(is_trial) then 'ok' else min(status) end as status,
        array_to_string(
            list_transform(list_sort(list({'trial': trial, 'run_key': run_key})), lambda one: one.run_key), ' '
        ) as runs_told
    from trial
    group by series_id, loss_name, metric, metric_quantity, metric_unit
)
select
    series_case.* exclude (gpu_memory_mib, framework_version, implementation_version, variant, mixed),
    cell.* exclude (series_id),
    series_case.gpu_memory_mib,
    series_case.framework_version,
    series_case.implementation_version,
    series_case.variant,
    series_case.mixed
from cell
join kept.series_case using (series_id);
comment on macro table convergence_table_of is
    'convergence_table_of(metric, target_name, target): convergence_table by another metric, with steps and seconds'
    ' to a target: convergence_table_of('''', ''accuracy'', 0.75).';

create view convergence_table as
select
    * exclude (
        target_steps, target_steps_lowest, target_steps_highest, target_seconds, target_seconds_lowest,
        target_seconds_highest
    )
from convergence_table_of('', '', null::double);
comment on view convergence_table is
    'One row per series, loss and metric: medians over its trials of final loss, best metric, steps and time.';
comment on column convergence_table.loss_name is 'The main loss of its runs, as the log spells it.';
comment on column convergence_table.metric is 'The main metric of its runs, as the log spells it.';
comment on column convergence_table.runs is 'Runs of the series with this loss and metric.';
comment on column convergence_table.trials is
    'Those that ended well or of which nothing says how they ended: their medians are shown.';
comment on column convergence_table.trials_dropped is 'The others.';
comment on column convergence_table.steps is
    'Median over its trials of the step of the last loss that has one (run.steps_done is the highest step in the log). '
    'Trials that count steps from 0 again are left out.';
comment on column convergence_table.step_restarts is 'Whether some of them count steps from 0 again.';
comment on column convergence_table.seconds is 'Median of the seconds that they took.';
comment on column convergence_table.first_loss is 'Median of the first losses, each a mean.';
comment on column convergence_table.final_loss is 'Median of the final losses, each a mean.';
comment on column convergence_table.final_loss_lowest is 'Lowest final loss.';
comment on column convergence_table.final_loss_highest is 'Highest final loss.';
comment on column convergence_table.losses_fewest is 'Fewest losses that one of them prints.';
comment on column convergence_table.window_least is
    'Over how many losses a first or final loss is a mean, at the least.';
comment on column convergence_table.window_most is 'The same, at the most.';
comment on column convergence_table.best_value is 'Median of the best metrics.';
comment on column convergence_table.best_lowest is 'Lowest best metric.';
comment on column convergence_table.best_highest is 'Highest best metric.';
comment on column convergence_table.runs_reached is 'Runs that reached the target that their program states.';
comment on column convergence_table.runs_not_reached is 'Runs that did not.';
comment on column convergence_table.runs_outcome_unknown is 'Runs of which nothing tells it.';
comment on column convergence_table.runs_diverged is 'Runs that diverged.';
comment on column convergence_table.diverged_by is 'By which criteria.';
comment on column convergence_table.outcome_reason is 'Why runs did not reach their target.';
comment on column convergence_table.dropped_by is 'How those that do not count ended, with a stroke between several.';
comment on column convergence_table.status is 'ok, or how the runs ended if none of them counts.';
comment on column convergence_table.runs_told is 'Keys of the runs.';
