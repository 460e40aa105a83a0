-- One row per sample of a GPU's utilization while the run lasted; its number where the telemetry states no times.
-- reads: measurement
with sample as (
    select
        coalesce('GPU ' || device, 'GPU') as line, run_id, coalesce(epoch(logged_at), clock_s) as clock, value as y, log_id,
        measurement.line as log_line
    from measurement
    where role = 'telemetry' and quantity = 'gpu_utilization' and value is not null
)
select
    line, run_id, coalesce(
        clock - min(clock) over (partition by run_id),
        row_number() over (partition by run_id, line order by log_id, log_line)
    ) as x,
    if(clock is null, 'sample', 's') as x_counts, y, '%' as unit
from sample
