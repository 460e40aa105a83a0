-- What the losses of runs say: the first, the last, and every mean that is lower than all before it.
-- reads: loss, main_loss, run_clock
-- makes: loss_mean, low, kept_low_loss, kept_loss

-- From the first to the last, as view loss_curve adds them up; NULL where there are too few before it.
create or replace temp view loss_mean as
select
    *,
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
    run_id, nth, epoch, step, loss, log_id, line, byte_offset, logged_at, clock_s, sum_ps,
    nth = losses as is_last,
    coalesce(isfinite(total) and total <= least_total, false) as is_low,
    if(isfinite(total), plain_mean(total, window_losses), null) as mean_loss,
    greatest(
        loss, if(window_losses > 1, loss_1, null), if(window_losses > 2, loss_2, null), if(window_losses > 3, loss_3, null),
        if(window_losses > 4, loss_4, null), if(window_losses > 5, loss_5, null), if(window_losses > 6, loss_6, null),
        if(window_losses > 7, loss_7, null), if(window_losses > 8, loss_8, null), if(window_losses > 9, loss_9, null)
    ) as highest,
    least(
        loss, if(window_losses > 1, loss_1, null), if(window_losses > 2, loss_2, null), if(window_losses > 3, loss_3, null),
        if(window_losses > 4, loss_4, null), if(window_losses > 5, loss_5, null), if(window_losses > 6, loss_6, null),
        if(window_losses > 7, loss_7, null), if(window_losses > 8, loss_8, null), if(window_losses > 9, loss_9, null)
    ) as least
from (
    select
        *,
        min(if(isfinite(total), total, null)) over so_far as least_total,
        sum(took_ps) over so_far as sum_ps
    from loss_mean
    window so_far as (partition by run_id order by place rows unbounded preceding)
)
where (isfinite(total) and total <= least_total) or nth = losses;

insert into kept_low_loss by name
select
    run_id, nth, epoch, step, mean_loss, log_id, line,
    coalesce(
        seconds_since(logged_at, past_midnight(clock_s, midnights, log_id, byte_offset), started_at, started_s), sum_ps / 1e12
    ) as seconds
from low
left join run_clock using (run_id)
where is_low
qualify coalesce(mean_loss < lag(mean_loss) over (partition by run_id order by nth), true);

insert into kept_loss by name
with whole as (
    select
        run_id,
        count(*) as losses,
        count(*) filter (not isfinite(loss)) as losses_not_finite,
        min(loss) as lowest,
        -- NaN is higher than any.
        max(loss) as highest,
        min(step) as first_step,
        arg_max(step, place) as last_step,
        coalesce(bool_or(step < step_before), false) as step_restarts,
        arg_max(epoch, place) as last_epoch
    from loss_mean
    group by run_id
),
ends as (
    select
        run_id,
        arg_min(mean_loss, nth) filter (is_low) as start_mean,
        arg_min(highest, nth) filter (is_low) as start_highest,
        arg_min({'mean': mean_loss, 'highest': highest, 'step': step}, (mean_loss, nth)) filter (is_low) as low,
        any_value(loss) filter (is_last) as last_loss,
        any_value(log_id) filter (is_last) as log_id,
        any_value(line) filter (is_last) as line,
        any_value(sum_ps) filter (is_last) / 1e12 as summed_s,
        any_value(mean_loss) filter (is_last) as final_mean,
        any_value(least) filter (is_last) as final_lowest
    from low
    group by run_id
)
select
    whole.*, main_loss.name, main_loss.lane as rank, last_loss, log_id, line, summed_s, start_mean, start_highest,
    low.mean as lowest_mean, low.highest as lowest_highest, low.step as lowest_step, final_mean, final_lowest
from whole
join ends using (run_id)
join main_loss using (run_id);
