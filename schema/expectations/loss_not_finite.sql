-- A run with a loss that is NaN or infinite.
-- severity: warning
select
    run_id,
    arg_min(log_id, byte_offset) as log_id,
    arg_min(line, byte_offset) as line,
    format('{}: NaN or infinite; values: {}', name, count(*)) as about,
    count(*) as value,
    0 as expected
from measurement
where quantity = 'loss' and not isfinite(value)
group by run_id, name;
