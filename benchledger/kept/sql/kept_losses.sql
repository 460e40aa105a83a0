-- What the losses of runs say: the first, the last, and every mean that is lower than all before it.
-- reads: loss, main_loss, kept.run_clock
-- makes: numbered_loss, low, kept.low_loss, kept.loss

-- The losses of a run stand together, in its order.
create or replace temp view numbered_loss as
select
    *, row_number() over () - losses_before as nth,
    if(nth > 1, in_order(place, lag(place) over (), lag(step) over ()), null) as step_before
from loss;

-- A mean falls with its total: means that are not higher than all before them, and the last one of each run.
create or replace temp table low as
with recent as (
    select
        *,
        lag(loss, 1) over () as loss_1, lag(loss, 2) over () as loss_2, lag(loss, 3) over () as loss_3,
        lag(loss, 4) over () as loss_4, lag(loss, 5) over () as loss_5, lag(loss, 6) over () as loss_6,
        lag(loss, 7) over () as loss_7, lag(loss, 8) over () as loss_8, lag(loss, 9) over () as loss_9
    from numbered_loss
),
loss_mean as (
    select
        * exclude (loss_1, loss_2, loss_3, loss_4, loss_5, loss_6, loss_7, loss_8, loss_9),
        -- From the first to the last, as view loss_curve adds them up; NULL where there are too few, or one is not finite.
        if(window_losses > 9, loss_9, 0) + if(window_losses > 8, loss_8, 0) + if(window_losses > 7, loss_7, 0)
        + if(window_losses > 6, loss_6, 0) + if(window_losses > 5, loss_5, 0) + if(window_losses > 4, loss_4, 0)
        + if(window_losses > 3, loss_3, 0) + if(window_losses > 2, loss_2, 0) + if(window_losses > 1, loss_1, 0)
        + loss as added,
        if(nth >= window_losses and isfinite(added), added, null) as total,
        -- What steps took since the first loss, where they say so.
        if(nth > 1, step_ps(step_s, step - step_before), null) as took_ps
    from recent
)
select
    run_id, place, nth, step, epoch, log_id, line, byte_offset, logged_at, clock_s, loss, sum_ps,
    nth = losses as is_last,
    coalesce(total <= least_total, false) as is_low,
    plain_mean(total, window_losses) as mean_loss
from (
    select *, min(total) over so_far as least_total, sum(took_ps) over so_far as sum_ps
    from loss_mean
    window so_far as (rows between nth - 1 preceding and current row)
)
where total <= least_total or nth = losses;

insert into kept.low_loss by name
select
    run_id, nth, epoch, step, mean_loss, log_id, line,
    coalesce(
        seconds_since(logged_at, past_midnight(clock_s, midnights, log_id, byte_offset), started_at, started_s), sum_ps / 1e12
    ) as seconds
from (
    from low
    where is_low
    qualify coalesce(mean_loss < if(lag(run_id) over () = run_id, lag(mean_loss) over (), null), true)
)
left join kept.run_clock using (run_id);

insert into kept.loss by name
with mean_end as (
    select
        run_id,
        min(nth) filter (is_low) as start_nth,
        arg_min(mean_loss, nth) filter (is_low) as start_mean,
        arg_min(nth, (mean_loss, nth)) filter (is_low) as lowest_nth,
        arg_min_null(step, (mean_loss, nth)) filter (is_low) as lowest_step,
        min(mean_loss) filter (is_low) as lowest_mean,
        any_value(mean_loss) filter (is_last) as final_mean,
        any_value(loss) filter (is_last) as last_loss,
        any_value(log_id) filter (is_last) as log_id,
        any_value(line) filter (is_last) as line,
        any_value(sum_ps) filter (is_last) / 1e12 as summed_s
    from low
    group by run_id
),
whole as (
    select
        run_id,
        count(*) filter (not isfinite(loss)) as losses_not_finite,
        min(loss) as lowest,
        -- NaN is higher than any.
        max(loss) as highest,
        min(step) as first_step,
        arg_max(step, place) as last_step,
        arg_max(epoch, place) as last_epoch,
        coalesce(bool_or(step < step_before), false) as step_restarts,
        max(if(nth > start_nth - window_losses and nth <= start_nth, loss, null)) as start_highest,
        max(if(nth > lowest_nth - window_losses and nth <= lowest_nth, loss, null)) as lowest_highest,
        min(if(nth > losses - window_losses, loss, null)) as final_lowest
    from numbered_loss
    join (select run_id, start_nth, lowest_nth from mean_end) using (run_id)
    group by run_id
)
select whole.*, mean_end.* exclude (run_id, start_nth, lowest_nth), main_loss.losses, main_loss.name, main_loss.lane as rank
from whole
join mean_end using (run_id)
join main_loss using (run_id);
