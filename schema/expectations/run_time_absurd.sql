-- A run that ends before it starts, or lies before 2012 or after the day on which it was read.
-- severity: warning
with seen as (
    select run_source.run_id, max(ingested_at) as ingested_at
    from kept.run_source
    join sighting using (log_id)
    group by run_source.run_id
)
select
    run_id,
    case
        when ended_at < started_at then format('started {}, ended {}', started_at, ended_at)
        else format('started {}, read {}', started_at, ingested_at::date)
    end as about
from run
join seen using (run_id)
where ended_at < started_at or started_at < '2012-01-01' or started_at > ingested_at + interval 1 day;
