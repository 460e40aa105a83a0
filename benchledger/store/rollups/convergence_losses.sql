-- From loss to loss of the runs in temp table main_loss: where the mean of the last few is lower than ever before.

create or replace temp view main_record as
select
    record.run_id,
    record.part,
    record.log_id,
    record.line,
    record.byte_offset,
    record.step,
    record.epoch,
    record.logged_at,
    record.clock_s,
    main_loss.window_losses,
    main_loss.is_whole,
    record.log_id = main_loss.last_log and record.byte_offset = main_loss.last_offset as is_last,
    told_shape.ordinal,
    record.shape_id,
    record."values",
    record."values"[told_shape.ordinal] as loss
from source_record as record
join main_loss on main_loss.run_id = record.run_id and main_loss.rank = coalesce(record.rank, -1)
join told_shape on told_shape.shape_id = record.shape_id and told_shape.name = main_loss.name and not told_shape.is_metric
where loss is not null;

create or replace temp view whole_record as
from main_record where is_whole;

create or replace temp view sorted_record as
from main_record
where not is_whole
order by run_id, part, log_id, byte_offset, ordinal;

-- Of the losses in their order the first and the last of each run, those where the steps fall or the order is another, and
-- those where the mean of the last few is as low as never before, nearly: of few losses all. Windows without a partition are
-- read past, not kept: a run may be of any length. The lowest mean so far is that of one run, since the numbers of each run
-- lie far below those of the run before it.
create or replace temp macro told_losses(source) as table
with beside as (
    select
        * exclude ("values", shape_id, ordinal, is_whole),
        row_number() over () as place,
        lag(run_id) over () as run_before,
        lag(run_id, 9) over () as run_of_l9,
        lag(byte_offset) over () as offset_before,
        lag(step) over () as step_before,
        lag(loss, 1) over () as l1,
        lag(loss, 2) over () as l2,
        lag(loss, 3) over () as l3,
        lag(loss, 4) over () as l4,
        lag(loss, 5) over () as l5,
        lag(loss, 6) over () as l6,
        lag(loss, 7) over () as l7,
        lag(loss, 8) over () as l8,
        lag(loss, 9) over () as l9
    from query_table(source)
),
numbered as (
    select
        *,
        count(*) filter (where run_id is distinct from run_before) over (rows between unbounded preceding and current row) as nth_run
    from beside
),
leveled as (
    select
        *,
        -- Between -1 and 1, in the order of the means: not finite is higher than all, as NaN is.
        loss + l1 + l2 + l3 + l4 + l5 + l6 + l7 + l8 + l9 as summed,
        if(run_of_l9 = run_id, summed / (1 + abs(summed)) - 3 * nth_run, null) as level
    from numbered
)
select
    run_id, place, window_losses, part, log_id, line, byte_offset, step, epoch, logged_at, clock_s, loss, is_last,
    run_id is distinct from run_before as is_first,
    run_id = run_before and byte_offset < offset_before as is_out_of_order,
    run_id = run_before and step < step_before as is_fall,
    list_slice([loss, l1, l2, l3, l4, l5, l6, l7, l8, l9], 1, window_losses) as averaged
from (
    select *, min(level) over (rows between unbounded preceding and current row) as lowest_level
    from leveled
)
where is_first or is_last or is_fall or is_out_of_order or window_losses < 10
    or level <= lowest_level + 1e-9 and isfinite(summed);

create or replace temp table told_loss as from told_losses('whole_record');

-- What is not in one piece, or not in its order, is sorted (convergence_sorted.sql).
update main_loss
set is_whole = false
where run_id in (
    select run_id
    from told_loss
    group by run_id
    having bool_or(is_out_of_order) or count(*) filter (where is_first) > 1 or count(*) filter (where is_last) <> 1
);
