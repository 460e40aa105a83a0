-- What the losses of runs say: the first, the last, and every mean that is lower than all before it.
-- reads: loss, main_loss, kept.run_clock
-- makes: loss_mean, low, kept.low_loss, kept.loss

-- From the first to the last, as view loss_curve adds them up; NULL where there are too few before it.
create or replace temp view loss_mean as
select
    run_id, losses, window_losses, place, log_id, line, step, epoch, step_before, loss, nth,
    if(window_losses > 9, loss_9, 0) + if(window_losses > 8, loss_8, 0) + if(window_losses > 7, loss_7, 0)
    + if(window_losses > 6, loss_6, 0) + if(window_losses > 5, loss_5, 0) + if(window_losses > 4, loss_4, 0)
    + if(window_losses > 3, loss_3, 0) + if(window_losses > 2, loss_2, 0) + if(window_losses > 1, loss_1, 0)
    + loss as total,
    -- What steps took since the first loss, where they say so.
    if(nth > 1, step_ps(step_s, step - step_before), null) as took_ps
from (
    select
        *,
        row_number() over w as nth,
        in_order(place, lag(place) over w, lag(step) over w) as step_before,
        lag(loss, 1) over w as loss_1, lag(loss, 2) over w as loss_2, lag(loss, 3) over w as loss_3,
        lag(loss, 4) over w as loss_4, lag(loss, 5) over w as loss_5, lag(loss, 6) over w as loss_6,
        lag(loss, 7) over w as loss_7, lag(loss, 8) over w as loss_8, lag(loss, 9) over w as loss_9
    from loss
    window w as (partition by run_id order by place)
);

-- A mean falls with its total: means that are not higher than all before them, and the last one of each run.
create or replace temp table low as
select
    run_id, place, nth, losses, window_losses, sum_ps,
    coalesce(isfinite(total) and total <= least_total, false) as is_low,
    if(isfinite(total), plain_mean(total, window_losses), null) as mean_loss
from (
    select
        *,
        min(if(isfinite(total), total, null)) over so_far as least_total,
        sum(took_ps) over so_far as sum_ps
    from loss_mean
    window so_far as (partition by run_id order by place rows unbounded preceding)
)
where (isfinite(total) and total <= least_total) or nth = losses;

insert into kept.low_loss by name
with lower as (
    select run_id, place, nth, mean_loss, sum_ps
    from low
    where is_low
    qualify coalesce(mean_loss < lag(mean_loss) over (partition by run_id order by nth), true)
)
select
    run_id, nth, epoch, step, mean_loss, log_id, line,
    coalesce(
        seconds_since(logged_at, past_midnight(clock_s, midnights, log_id, byte_offset), started_at, started_s), sum_ps / 1e12
    ) as seconds
from loss
join lower using (run_id, place)
left join kept.run_clock using (run_id);

insert into kept.loss by name
with mean_end as (
    select
        run_id,
        min(nth) filter (is_low) as start_nth,
        arg_min(mean_loss, nth) filter (is_low) as start_mean,
        arg_min(nth, (mean_loss, nth)) filter (is_low) as lowest_nth,
        min(mean_loss) filter (is_low) as lowest_mean,
        any_value(mean_loss) filter (nth = losses) as final_mean,
        any_value(sum_ps) filter (nth = losses) / 1e12 as summed_s
    from low
    group by run_id
),
marked as (
    select
        loss_mean.*, lowest_nth, losses as losses_in_all,
        nth > start_nth - window_losses and nth <= start_nth as is_of_start,
        nth > lowest_nth - window_losses and nth <= lowest_nth as is_of_lowest,
        nth > losses - window_losses as is_of_final
    from loss_mean
    join mean_end using (run_id)
),
whole as (
    select
        run_id,
        count(*) as losses,
        count(*) filter (not isfinite(loss)) as losses_not_finite,
        min(loss) as lowest,
        -- NaN is higher than any.
        max(loss) as highest,
        min(step) as first_step,
        arg_max(step, place) as last_step,
        arg_max(epoch, place) as last_epoch,
        any_value(if(nth = losses_in_all, loss, null)) as last_loss,
        any_value(if(nth = losses_in_all, log_id, null)) as log_id,
        any_value(if(nth = losses_in_all, line, null)) as line,
        any_value(if(nth = lowest_nth, step, null)) as lowest_step,
        coalesce(bool_or(step < step_before), false) as step_restarts,
        max(if(is_of_start, loss, null)) as start_highest,
        max(if(is_of_lowest, loss, null)) as lowest_highest,
        min(if(is_of_final, loss, null)) as final_lowest
    from marked
    group by run_id
)
select
    whole.*, main_loss.name, main_loss.lane as rank, summed_s, start_mean, lowest_mean, final_mean
from whole
join mean_end using (run_id)
join main_loss using (run_id);
