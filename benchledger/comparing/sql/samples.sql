-- One row per run and sampled value: its median while the run trained, and its highest; the mean over devices of both.
-- reads: measurement

with sample as (
    select run_id, device, name, quantity, value, logged_at
    from measurement
    where kind = 'sample' and run_id in (select unnest($runs)) and isfinite(value)
),
trained as (
    select run_id, min(logged_at) as began, max(logged_at) as ended
    from measurement
    where kind = 'step' and phase = 'train' and run_id in (select unnest($runs))
    group by run_id
),
of_device as (
    select
        run_id, device, name, quantity, max(value) as highest,
        coalesce(median(value) filter (where logged_at between began and ended), median(value)) as value
    from sample
    left join trained using (run_id)
    group by all
)
select run_id, name, any_value(quantity) as quantity, avg(value) as value, avg(highest) as highest
from of_device
group by run_id, name
order by all;
