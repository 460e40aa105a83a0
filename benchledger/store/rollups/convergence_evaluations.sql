-- The evaluations of the runs in temp table chunk_run. The run's own clock says when; a metric of which a program prints parts of an
-- evaluation and then their sum is told by the sums. Its parts and its sum have one name, but for the loss.

insert into kept_evaluation
with printed as (
    select
        record.run_id,
        record.part,
        record.log_id,
        record.line,
        record.byte_offset,
        told_shape.ordinal,
        told_shape.kind,
        record.step,
        record.epoch,
        record.rank,
        record.logged_at,
        record.clock_s,
        told_shape.name,
        told_shape.quantity,
        record."values"[told_shape.ordinal] as value,
        told_shape.unit
    from source_record as record
    join told_shape using (shape_id)
    where told_shape.is_metric
        and record.run_id in (select run_id from chunk_told where is_metric and "values" > 0)
        and record."values"[told_shape.ordinal] is not null
    qualify coalesce(record.rank, -1) = min(coalesce(record.rank, -1)) over (partition by record.run_id, told_shape.name)
        and (told_shape.kind = 'summary' or not bool_or(told_shape.kind = 'summary') over (
            partition by record.run_id, told_shape.quantity, if(told_shape.quantity = 'loss', '', told_shape.name)
        ))
),
-- The metric that a run is told by: accuracy before score before error rate before perplexity before loss, then the one that is
-- printed most often.
main as (
    select
        run_id,
        arg_min(
            name, (list_position(['accuracy', 'score', 'error_rate', 'perplexity', 'loss'], quantity), -printed_times, name)
        ) as name
    from (select run_id, name, quantity, count(*) as printed_times from printed group by all)
    group by run_id
)
select
    printed.run_id,
    printed.name,
    printed.name = main.name as is_main,
    row_number() over (
        partition by printed.run_id, printed.name order by printed.part, printed.log_id, printed.byte_offset, printed.ordinal
    ) as nth,
    printed.kind,
    printed.epoch,
    printed.step,
    seconds_since(
        printed.logged_at,
        past_midnight(printed.clock_s, run_clock.midnights, printed.log_id, printed.byte_offset),
        run_clock.started_at,
        run_clock.started_s
    ) as seconds,
    printed.quantity,
    printed.value,
    printed.unit,
    case printed.unit when '%' then printed.value / 100 when '1' then printed.value end as fraction,
    printed.quantity in ('accuracy', 'score') as higher_is_better,
    printed.rank,
    printed.log_id,
    printed.line,
    printed.byte_offset
from printed
join main using (run_id)
left join run_clock on run_clock.run_id = printed.run_id;
