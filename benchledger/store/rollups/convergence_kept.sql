-- What the losses of the runs in temp table main_loss say: where their mean was lower than ever before, the first and the last.

insert into kept_low_loss
with numbered as (
    select
        *,
        place - min(place) filter (where is_first) over (partition by run_id) + 1 as nth,
        if(
            len(list_filter(averaged, lambda x: isfinite(x))) = window_losses and nth >= window_losses,
            list_avg(list_sort(averaged)), null
        ) as mean_loss
    from told_loss
),
lowered as (
    select
        *,
        min(mean_loss) over (partition by run_id order by nth rows between unbounded preceding and 1 preceding) as lowest_before
    from numbered
    where mean_loss is not null
)
select
    low.run_id,
    low.nth,
    low.epoch,
    low.step,
    coalesce(
        seconds_since(
            low.logged_at,
            past_midnight(low.clock_s, run_clock.midnights, low.log_id, low.byte_offset),
            run_clock.started_at,
            run_clock.started_s
        ),
        summed_step.seconds
    ) as seconds,
    low.mean_loss,
    low.lowest_before,
    list_max(low.averaged) as mean_highest,
    low.log_id,
    low.line
from lowered as low
left join run_clock on run_clock.run_id = low.run_id
left join summed_step on summed_step.run_id = low.run_id and summed_step.nth = low.nth
where low.lowest_before is null or low.mean_loss < low.lowest_before;

insert into kept_loss
with told as (
    select
        run_id,
        bool_or(is_fall) as step_restarts,
        any_value(loss) filter (where is_last) as last_loss,
        any_value(log_id) filter (where is_last) as log_id,
        any_value(line) filter (where is_last) as line,
        any_value(averaged) filter (where is_last) as averaged
    from told_loss
    group by run_id
),
low as (
    select
        run_id,
        arg_min({'mean': mean_loss, 'highest': mean_highest}, nth) as start,
        arg_max({'mean': mean_loss, 'highest': mean_highest, 'step': step}, nth) as lowest
    from kept_low_loss
    where run_id in (select run_id from chunk_run)
    group by run_id
),
summed as (
    select run_id, arg_max(seconds, nth) as seconds
    from summed_step
    group by run_id
)
select
    main_loss.run_id,
    main_loss.name,
    main_loss.rank,
    main_loss.losses,
    main_loss.losses_not_finite,
    main_loss.lowest,
    main_loss.highest,
    main_loss.first_step,
    main_loss.last_step,
    told.step_restarts is true as step_restarts,
    main_loss.last_epoch,
    summed.seconds as summed_s,
    told.last_loss,
    told.log_id,
    told.line,
    low.start.mean as start_mean,
    low.start.highest as start_highest,
    low.lowest.mean as lowest_mean,
    low.lowest.highest as lowest_highest,
    low.lowest.step as lowest_step,
    if(len(list_filter(told.averaged, lambda x: isfinite(x))) = window_losses, list_avg(list_sort(told.averaged)), null) as final_mean,
    list_min(told.averaged) as final_lowest
from main_loss
join told using (run_id)
left join low using (run_id)
left join summed using (run_id);
