-- Losses of runs: the first, the last, and every mean that is lower than all before it.
-- reads: loss, main_loss, kept.run_clock
-- makes: numbered_loss, low, kept.low_loss, kept.loss

-- The losses of a run stand together, in its order.
create or replace temp view numbered_loss as
select
    *,
    -- The time of the steps since the previous loss, where steps state it.
    if(nth > 1, step_ps(step_s, step - step_before), null) as took_ps
from (
    select
        *, row_number() over () - losses_before as nth,
        if(nth > 1, in_order(place, lag(place) over (), lag(step) over ()), null) as step_before
    from loss
);

create or replace temp table low as
with recent as (
    select
        *,
        lag(loss, 1) over () as loss_1, lag(loss, 2) over () as loss_2, lag(loss, 3) over () as loss_3,
        lag(loss, 4) over () as loss_4, lag(loss, 5) over () as loss_5, lag(loss, 6) over () as loss_6,
        lag(loss, 7) over () as loss_7, lag(loss, 8) over () as loss_8, lag(loss, 9) over () as loss_9
    from numbered_loss
),
added as (
    select
        *,
        -- From the first to the last, as view loss_curve adds them up; NULL where there are too few.
        if(window_losses > 9, loss_9, 0) + if(window_losses > 8, loss_8, 0) + if(window_losses > 7, loss_7, 0)
        + if(window_losses > 6, loss_6, 0) + if(window_losses > 5, loss_5, 0) + if(window_losses > 4, loss_4, 0)
        + if(window_losses > 3, loss_3, 0) + if(window_losses > 2, loss_2, 0) + if(window_losses > 1, loss_1, 0)
        + if(nth >= window_losses, loss, null) as total
    from recent
),
-- A mean is lower than all before it only if its total is too: no other total is divided.
low_total as (
    select
        run_id, nth, epoch, step, log_id, line, byte_offset, logged_at, clock_s, sum_ps,
        plain_mean(total, window_losses) as mean_loss,
        greatest(
            loss, if(window_losses > 1, loss_1, null), if(window_losses > 2, loss_2, null),
            if(window_losses > 3, loss_3, null), if(window_losses > 4, loss_4, null), if(window_losses > 5, loss_5, null),
            if(window_losses > 6, loss_6, null), if(window_losses > 7, loss_7, null), if(window_losses > 8, loss_8, null),
            if(window_losses > 9, loss_9, null)
        ) as highest
    from (
        select *, min(if(isfinite(total), total, null)) over so_far as least, sum(took_ps) over so_far as sum_ps
        from added
        window so_far as (rows between nth - 1 preceding and current row)
    )
    qualify isfinite(total) and total < coalesce(if(nth > 1, lag(least) over (), null), 'inf')
),
low_mean as (
    from low_total
    qualify (lag(run_id) over () = run_id and lag(mean_loss) over () <= mean_loss) is not true
)
select
    run_id, nth, epoch, step, mean_loss, highest, log_id, line,
    coalesce(
        seconds_since(logged_at, past_midnight(clock_s, midnights, log_id, byte_offset), started_at, started_s), sum_ps / 1e12
    ) as seconds
from low_mean
left join kept.run_clock using (run_id);

insert into kept.low_loss by name
select * exclude (highest)
from low;

insert into kept.loss by name
with mean_end as (
    select
        run_id,
        arg_min(mean_loss, nth) as start_mean,
        arg_min(highest, nth) as start_highest,
        arg_min_null(step, mean_loss) as lowest_step,
        min(mean_loss) as lowest_mean,
        arg_min(highest, mean_loss) as lowest_highest
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
        min(loss) filter (nth > losses - window_losses) as final_lowest,
        -- In their order, as above.
        sum(loss) filter (nth > losses - window_losses) as final_total,
        if(isfinite(final_total), plain_mean(final_total, any_value(window_losses)), null) as final_mean,
        last(loss) as last_loss,
        last(log_id) as log_id,
        last(line) as line,
        if(step_restarts, null, sum(took_ps) / 1e12) as summed_s
    from numbered_loss
    group by run_id
)
select
    whole.* exclude (final_total), mean_end.* exclude (run_id),
    main_loss.losses, main_loss.name, main_loss.lane as rank
from whole
left join mean_end using (run_id)
join main_loss using (run_id);
