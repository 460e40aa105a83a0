-- The evaluations that tell runs, each with its time.
-- reads: measure_count, convergence_shape, measure_at, claimed_record, kept.run_clock
-- makes: metric_at, kept.evaluation_all

-- Of metrics that are parts of an evaluation and then their sum, the sums. Parts and sum have one name, but for the loss.
create or replace temp table metric_at as
with followed as (
    select *
    from measure_count
    join (select distinct measure_id, name, quantity, kind, unit from convergence_shape where is_metric) using (measure_id)
    qualify lane = min(lane) over (partition by run_id, name)
        and (
            kind = 'summary'
            or not bool_or(kind = 'summary') over (partition by run_id, quantity, if(quantity <> 'loss', name, null))
        )
),
main as (
    select distinct on (run_id) run_id, name as main
    from (select run_id, name, quantity, sum(times) as times from followed group by all)
    order by
        run_id, list_position(['accuracy', 'score', 'error_rate', 'perplexity', 'loss'], quantity), times desc, name
)
select run_id, shape_id, ordinal, lane, followed.name, followed.name = main as is_main, quantity, kind, unit
from followed
join main using (run_id)
join (select run_id, measure_id, lane, shape_id, ordinal from measure_at) using (run_id, measure_id, lane);

insert into kept.evaluation_all by name
select
    run_id, name, is_main,
    row_number() over (partition by run_id, name order by place + ordinal) as nth,
    kind, epoch, step,
    seconds_since(logged_at, past_midnight(clock_s, midnights, log_id, byte_offset), started_at, started_s) as seconds,
    quantity,
    "values"[ordinal] as value,
    unit,
    case unit when '%' then value / 100 when '1' then value end as fraction,
    quantity in ('accuracy', 'score') as higher_is_better,
    rank, log_id, line, byte_offset
from claimed_record
join metric_at using (run_id, shape_id)
left join kept.run_clock using (run_id)
where part is not null and value is not null and coalesce(rank, -1) = lane;
