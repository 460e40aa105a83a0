-- Finds runs whose steps begin again in each epoch, although no line states an epoch. A second run in the log would
-- print the same steps at the same speed, but its loss would be high again, and its start would take some seconds.
-- reads: new_run, log, kept.record, kept.shape
-- makes: step_line, epoch_of_lane, new_run

create or replace temp table step_line as
with shape as (
    select
        shape_id,
        min(ordinal) filter (quantity = 'loss' and phase = 'train') as loss_at,
        min(ordinal) filter (quantity in ('throughput', 'step_time') and phase = 'train') as speed_at,
        arg_min(quantity = 'step_time', ordinal) filter (quantity in ('throughput', 'step_time') and phase = 'train') as is_time,
        bool_or(name = 'epoch' or name like '%/epoch') as has_epoch
    from kept.shape
    where kind = 'step'
    group by shape_id
    having bool_or(phase = 'train')
),
line as (
    select
        run_id, shape_id, line, byte_offset, step,
        -- If each line has a rank of its own, the ranks are line numbers of `grep -n`.
        if(count(distinct rank) over of_run = count(*) over of_run, -1, coalesce(rank, -1)) as lane,
        has_epoch or record.epoch is not null or step is null as has_own_epoch,
        "values"[loss_at] as loss,
        coalesce(epoch_us(logged_at) / 1e6, clock_s) as seconds,
        if(is_time, 1 / "values"[speed_at], "values"[speed_at]) as speed
    from new_run
    join log using (log_id)
    join kept.record on record.log_id = new_run.log_id and record.load_number = log.load_number
        and record.line between new_run.first_line and new_run.last_line
    join shape using (shape_id)
    where restart_line is not null
    window of_run as (partition by run_id)
)
select
    *, sum(coalesce(falls, false)::integer) over (partition by run_id, shape_id, lane order by byte_offset rows unbounded preceding) as epoch
from (
    select *, step < lag(step) over (partition by run_id, shape_id, lane order by byte_offset) as falls
    from line
);

create or replace temp table epoch_of_lane as
with epoch_line as (
    select
        *, row_number() over (partition by run_id, shape_id, lane, epoch order by byte_offset) as nth,
        count(*) over (partition by run_id, shape_id, lane, epoch) as lines
    from step_line
),
summed as (
    select
        run_id, shape_id, lane, epoch, min(line) as first_line,
        min(step) as first_step, max(step) as last_step,
        arg_min(loss, nth) as first_loss,
        median(loss) filter (nth <= greatest(lines // 4, 1)) as start_loss,
        median(loss) filter (nth > lines - greatest(lines // 4, 1)) as end_loss,
        arg_min(seconds, nth) as began_s, arg_max(seconds, nth) as ended_s,
        median(speed) as speed,
        median(speed) / arg_min(speed, nth) as slow_start
    from epoch_line
    group by run_id, shape_id, lane, epoch
)
select
    *,
    first_step = first(first_step) over epochs
        -- The last epoch may be cut.
        and (last_step = first(last_step) over epochs
            or lead(epoch) over epochs is null and last_step < first(last_step) over epochs)
        -- A second run would warm up as slowly as the first.
        and coalesce(greatest(speed, first(speed) over epochs) <= 1.1 * least(speed, first(speed) over epochs), true)
        and coalesce(epoch = 0 or slow_start <= greatest(1.1, (1 + first(slow_start) over epochs) / 2), true)
        as is_alike,
    case
        -- If the loss has fallen by a fifth: does this epoch begin near the end of the previous one? A single loss may
        -- be low by chance, so the first quarter counts too.
        when 0 < lag(end_loss) over epochs and lag(end_loss) over epochs <= 0.8 * first(first_loss) over epochs
            then first_loss <= 0.75 * lag(end_loss) over epochs + 0.25 * first(first_loss) over epochs
                and 2 * start_loss <= lag(end_loss) over epochs + first(start_loss) over epochs
        when epoch > 0 and coalesce(began_s, end_loss) is not null
            then coalesce(began_s - lag(ended_s) over epochs between 0 and 2, false)
    end as goes_on
from summed
window epochs as (partition by run_id, shape_id, lane order by epoch rows between unbounded preceding and unbounded following);

update new_run
set
    restart_line = null, steps_done = null,
    rival_lines = if(judged.starts.list_filter(lambda start: start > rival_lines[1] and start <= rival_lines[2]) = [], rival_lines, null)
from (
    select run_id, list(first_line) as starts
    from epoch_of_lane
    where run_id not in (select run_id from step_line where has_own_epoch)
    group by run_id
    -- Lines of some shapes have no loss or no speed.
    having bool_and(is_alike and goes_on is not false)
        and count(distinct epoch) filter (goes_on) = max(epoch)
        and count(distinct epoch) filter (speed is not null) = max(epoch) + 1
) as judged
where judged.run_id = new_run.run_id;
