-- What the logs of the runs in temp table chunk_run say of convergence, as far as no run has to be followed from record to record.

delete from run_clock where run_id in (select run_id from chunk_run);
delete from kept_loss where run_id in (select run_id from chunk_run);
delete from kept_low_loss where run_id in (select run_id from chunk_run);
delete from kept_evaluation where run_id in (select run_id from chunk_run);

create or replace temp table told_shape as
select shape_id, ordinal, name, quantity, unit, kind, phase = 'validation' as is_metric
from shape
where quantity = 'loss' and kind = 'step' and phase = 'train'
    or quantity in ('accuracy', 'score', 'error_rate', 'perplexity', 'loss')
    and kind in ('step', 'summary')
    and phase = 'validation';

-- As run_record, of these runs only.
create or replace temp view source_record as
select claim.run_id, if(claim.is_source, 0, 1) as part, record.*
from $record as record
join chunk_claim as claim
    on record.log_id = claim.log_id and record.line between claim.first_line and claim.last_line
where claim.is_source
    or claim.role = 'duplicate_stream'
    and claim.has_train
    and (record.log_id, record.byte_offset) in (select (log_id, byte_offset) from chunk_only);

create or replace temp table chunk_told as
select
    run_id,
    part,
    log_id,
    name,
    is_metric,
    rank,
    count(value) as "values",
    count(*) filter (where not isfinite(value)) as not_finite,
    min(value) as lowest,
    max(value) as highest,
    min(step) filter (where value is not null) as first_step,
    arg_max(step, byte_offset) filter (where value is not null) as last_step,
    arg_max(epoch, byte_offset) filter (where value is not null) as last_epoch,
    max(byte_offset) filter (where value is not null) as last_offset,
    min(logged_at) as started_at,
    max(logged_at) as ended_at,
    min(clock_s) as lowest_s,
    max(clock_s) as highest_s,
    arg_min(clock_s, byte_offset) as started_s,
    arg_max(clock_s, byte_offset) as ended_s,
    min(byte_offset) filter (where clock_s is not null) as first_clock,
    max(byte_offset) filter (where clock_s is not null) as last_clock
from (
    select
        record.run_id, record.part, record.log_id, told_shape.name, told_shape.is_metric,
        coalesce(record.rank, -1) as rank, record.step, record.epoch, record.byte_offset, record.logged_at, record.clock_s,
        record."values"[told_shape.ordinal] as value
    from source_record as record
    left join told_shape using (shape_id)
)
group by all;

create or replace temp table log_clock as
select
    run_id,
    part,
    log_id,
    min(started_at) as started_at,
    max(ended_at) as ended_at,
    max(highest_s) - min(lowest_s) > 43200 as is_long,
    arg_min(started_s, first_clock) as started_s,
    arg_max(ended_s, last_clock) as ended_s
from chunk_told
group by run_id, part, log_id
having count(started_at) > 0 or count(started_s) > 0;

-- Filled where a log has them (convergence_marks.sql).
create or replace temp table midnight (
    run_id bigint, is_untold boolean, midnights struct(log_id bigint, byte_offset bigint)[]
);
create or replace temp table marked (run_id bigint, started_at timestamp, ended_at timestamp, is_timed boolean);

create or replace temp table asked_mark as
select distinct
    run_id, split_part(name, ' to ', 1) as from_label, split_part(name, ' to ', 2) as to_label
from (select name, unnest(formats) as format from rule where quantity = 'span') as asked
join run_format using (format)
semi join log_clock using (run_id);

-- Each rank prints the loss of its own samples: one of them is followed. The loss that a run is told by: the total where one
-- is printed, else the one that is printed most often.
create or replace temp table main_loss as
with named as (
    select
        run_id,
        name,
        rank,
        sum("values")::bigint as losses,
        sum(not_finite)::bigint as losses_not_finite,
        min(lowest) as lowest,
        max(highest) as highest,
        min(first_step) as first_step,
        arg_max(last_step, (part, log_id)) as last_step,
        arg_max(last_epoch, (part, log_id)) as last_epoch,
        arg_max(log_id, (part, log_id)) as last_log,
        arg_max(last_offset, (part, log_id)) as last_offset,
        -- Of one log, whose records may be read as they stand.
        count(*) = 1 and bool_and(part = 0) as is_whole
    from chunk_told
    where not is_metric and "values" > 0
    group by run_id, name, rank
    qualify rank = min(rank) over (partition by run_id, name)
)
select *, loss_window(losses) as window_losses
from named
qualify row_number() over (partition by run_id order by contains(lower(name), 'total') desc, losses desc, name) = 1;

-- Filled where a run prints the time of a step and dates nothing (convergence_undated.sql).
create or replace temp table summed_step (run_id bigint, nth bigint, seconds double);
