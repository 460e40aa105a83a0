-- The evaluations that tell runs, each with its time.
-- reads: claimed_record, metric_at, kept.run_clock
-- makes: kept.evaluation_all

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
