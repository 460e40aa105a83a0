-- How each run of new_run ended: evidence weighed. Steps done against steps planned decide more than any marker.
-- reads: new_run, twin, live_segment, fact
-- makes: ending

create or replace temp table ending as
with stated as (
    select
        run_id,
        max(value) filter (name = 'steps_planned') as steps_planned,
        max(value) filter (name = 'epochs_planned') as epochs_planned,
        max(value) filter (name = 'epoch_steps') as epoch_steps,
        max(value) filter (name = 'exit_code') as exit_code,
        max(value) filter (name = 'signal') as signal,
        max(value) filter (name = 'failure') as failure
    from fact
    semi join new_run using (run_id)
    where used
    group by run_id
),
evidence as (
    select
        n.run_id, n.log_id, n.last_record_line, n.expects_closing, n.restart_line, n.rival_lines,
        coalesce(n.restart_line, n.rival_lines[2]) as mixed_line,
        nullif(n.event_status, 'early_stop') as event_status,
        -- Settings speak of early stopping too, but before the steps.
        coalesce(n.event_status = 'early_stop' and n.event_line > n.last_step_line, false) as stops_early,
        if(n.event_status = 'early_stop' and not stops_early, null, n.event_line) as event_line,
        if(n.event_status = 'early_stop', null, n.event_text) as event_text,
        n.first_epoch, n.last_epoch,
        n.final_loss_nan or coalesce(t.final_loss_nan, false) as final_loss_nan,
        coalesce(n.closing_line, t.closing_line) as closing_line,
        coalesce(n.closing_speed, t.closing_speed) as closing_speed,
        if(n.closing_line is null and t.closing_line is not null, t.log_id, n.log_id) as closing_log_id,
        coalesce(
            greatest(n.steps_done, if(t.restart_line is null, t.steps_done, null)),
            -- Steps that restart in each epoch, if its length is known. From 10**18 on they are unknown, as in a log.
            case
                when n.last_epoch = n.first_epoch then n.epoch_step
                when n.last_epoch > n.first_epoch
                    then try_cast(
                        try((n.last_epoch - n.first_epoch) * try_cast(f.epoch_steps as bigint) + n.epoch_step)
                        as decimal(18, 0)
                    )::bigint
            end
        ) as steps_done,
        coalesce(n.step_gap, t.step_gap) as step_gap,
        try_cast(f.steps_planned as bigint) as steps_planned,
        try_cast(f.epochs_planned as bigint) as epochs_planned,
        try_cast(f.epoch_steps as bigint) as epoch_steps, n.epoch_step,
        n.last_epoch + 1 - n.first_epoch as epochs_begun,
        try_cast(f.exit_code as bigint) as exit_code,
        f.signal,
        f.failure,
        n.role = 'manifest' as logless
    from new_run as n
    left join (
        select w.log_id as train_id, w.segment as train_segment, s.*
        from twin as w
        join live_segment as s on s.log_id = w.twin_id and s.segment = w.twin_segment
        qualify row_number() over (partition by w.log_id, w.segment order by s.log_id) = 1
    ) as t on t.train_id = n.log_id and t.train_segment = n.segment
    left join stated as f on f.run_id = n.run_id
),
counted as (
    -- A log that prints the steps 249, 499, ... counts from 0: its last step is one less than the steps that it did.
    select *, steps_done + coalesce((step_gap > 1 and (steps_done + 1) % step_gap = 0)::bigint, 0) as steps_ended
    from evidence
),
judged as (
    select
        *,
        -- Short only if one more record was due before the end: some programs print every tenth step.
        coalesce(steps_done + coalesce(step_gap, steps_done) <= steps_planned, false) as short,
        -- Epochs count from 0 unless something states their first number.
        coalesce(last_epoch + 1 - coalesce(first_epoch, 0) < epochs_planned, false) as lacks_epochs,
        coalesce(steps_ended >= steps_planned, false) as reached,
        closing_line is not null as closed,
        coalesce(exit_code <> 0, false) or signal is not null as broken,
        concat_ws(', ', 'exit code ' || exit_code, 'signal ' || signal) as ending,
        case
            when steps_done is null and steps_planned is null then 'an unknown number of steps'
            else coalesce(steps_done::varchar, 'an unknown number') || ' of '
                || coalesce(steps_planned::varchar, 'an unknown number of') || ' steps'
                || if(steps_done < steps_planned and steps_ended = steps_planned, ', which count from 0', '')
        end || coalesce(', in epoch ' || last_epoch || if(first_epoch = 0, ' (from 0)', '') || ' of ' || epochs_planned, '')
            as progress
    from counted
)
select
    run_id, steps_planned, if(mixed_line is null, steps_done, null) as steps_done, epochs_planned, exit_code,
    case
        when mixed_line is not null then 'ambiguous'
        when broken then coalesce(event_status, 'failed')
        when final_loss_nan then 'nan'
        when closed and closing_speed <= 0 then 'too_few_steps'
        when closed and (not short or stops_early) then 'ok'
        when reached then 'ok'
        when exit_code = 0 and (not short or stops_early) and (steps_done is not null or event_status is null) then 'ok'
        when event_status is not null then event_status
        when closed then 'too_few_steps'
        when stops_early and not expects_closing then 'ok'
        when expects_closing or ((short or lacks_epochs) and exit_code is null) then 'truncated'
        else 'unknown'
    end as status,
    -- An epoch is whole if one more record would be of the next one, and the last one of a run that ended well.
    case
        when status = 'ambiguous' then null
        when status = 'ok' or epoch_step + coalesce(step_gap, 1) > epoch_steps then epochs_begun
        when epoch_step is not null and epoch_steps is not null then epochs_begun - 1
    end as epochs_done,
    case
        when restart_line is not null then format('the steps begin again at line {}: a second run may begin there', restart_line)
        when rival_lines is not null then format(
            'lines {} and {} state different speeds for the same steps: two jobs may have written into this log',
            rival_lines[1], rival_lines[2]
        )
        when broken then ending || coalesce(': ' || coalesce(event_text, failure), '')
            || if(logless, '; none of its logs is in a known format', '')
        when final_loss_nan then 'the last loss is not a number'
        when closed and closing_speed <= 0 then 'its closing summary states no speed; ' || progress
        when closed and (not short or stops_early)
            then 'closing summary; ' || if(stops_early, 'stopped early, after ', '') || progress
        when reached then 'no closing summary, but ' || progress
        when exit_code = 0 and (not short or stops_early) and (steps_done is not null or event_status is null)
            then if(logless, 'exit code 0; none of its logs is in a known format', 'exit code 0, after ' || progress)
        when logless then 'a manifest that does not say how it ended; none of its logs is in a known format'
        when event_status is not null then event_text
        when closed then 'closing summary after ' || progress
        when stops_early and not expects_closing then 'it stopped early, after ' || progress
        when expects_closing then 'the log stops without its closing summary, after ' || progress
        when (short or lacks_epochs) and exit_code is null then 'the log stops after ' || progress
        else 'nothing says how it ended, after ' || progress
    end as reason,
    case
        when mixed_line is not null then log_id
        when closed and not final_loss_nan and not broken
            and (not short or closing_speed <= 0 or event_status is null) then closing_log_id
        else log_id
    end as status_log_id,
    case
        when mixed_line is not null then mixed_line
        when broken or final_loss_nan then coalesce(event_line, last_record_line)
        when closed and (not short or closing_speed <= 0 or event_status is null) then closing_line
        when reached then last_record_line
        else coalesce(event_line, last_record_line)
    end as status_line
from judged;
