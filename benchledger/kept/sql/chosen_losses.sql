-- Which losses and metrics the runs of a chunk print, and the main loss of each.
-- reads: kept.shape, claimed_record, kept.run_clock
-- makes: convergence_shape, measure_at, measure_count, main_loss, loss_at

create or replace temp table convergence_shape as
select
    -- A number is grouped by faster than what it stands for.
    (row_number() over ())::integer as shape_number,
    shape_id, ordinal, name, quantity, kind, unit, phase = 'validation' as is_metric,
    contains(lower(name), 'total') as is_total,
    dense_rank() over (order by phase, name, quantity, kind, if(phase = 'validation', unit, null)) as measure_id
from kept.shape
where (quantity = 'loss' and kind = 'step' and phase = 'train')
    or (
        quantity in ('accuracy', 'score', 'error_rate', 'perplexity', 'loss')
        and kind in ('step', 'summary')
        and phase = 'validation'
    );

create or replace temp table measure_at as
select run_id, measure_id, lane, shape_id, ordinal, times, first_nth
from (
    select run_id, coalesce(rank, -1) as lane, shape_number, count(*) as times, min(nth) as first_nth
    from (
        select run_id, rank, shape_id, "values", row_number() over () as nth
        from claimed_record
        where part is not null
    )
    join convergence_shape using (shape_id)
    where "values"[ordinal] is not null
    group by run_id, lane, shape_number
)
join convergence_shape using (shape_number);

create or replace temp view measure_count as
select run_id, measure_id, lane, sum(times)::bigint as times, min(first_nth) as first_nth
from measure_at
group by run_id, measure_id, lane;

-- The total loss where a run prints one, else the loss that it prints most often. Each rank prints the loss of its own
-- samples: one of them is followed.
create or replace temp table main_loss as
select
    *, loss_window(losses) as window_losses,
    -- So many losses have the runs that stand before this one.
    coalesce(sum(losses) over (order by first_nth rows between unbounded preceding and 1 preceding), 0)::bigint as losses_before
from (
    select distinct on (run_id) run_id, measure_id, name, lane, times as losses, first_nth
    from (select *, lane = min(lane) over (partition by run_id, measure_id) as is_first_lane from measure_count)
    join (select distinct measure_id, name, is_total from convergence_shape where not is_metric) using (measure_id)
    where is_first_lane
    order by run_id, is_total desc, times desc, name
);

-- Where records of a run have the loss, and the time of the step where nothing else dates the run.
create or replace temp table loss_at as
select
    run_id, shape_id, ordinal, lane, losses_before, losses, window_losses,
    if(run_clock.run_id is null, time_ordinal, null) as time_at
from main_loss
join (select run_id, measure_id, lane, shape_id, ordinal from measure_at) using (run_id, measure_id, lane)
left join (
    select shape_id, min(ordinal) as time_ordinal
    from kept.shape
    where quantity = 'step_time' and unit = 's' and kind = 'step'
        -- What a micro step took is not what its step took.
        and shape_id not in (select shape_id from kept.shape where quantity = 'micro_step')
    group by shape_id
) as step_time using (shape_id)
left join kept.run_clock using (run_id);
