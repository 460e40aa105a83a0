-- A run of which a tenth of the printed speeds, its first ten aside, lie more than a fifth below their median.
-- severity: note
-- $least = 0.8
with printed as (
    select run_id, log_id, line, value, unit, name, rank,
        row_number() over (partition by run_id, log_id, name, rank order by byte_offset) as place
    from measurement
    where quantity = 'throughput' and kind = 'step' and phase = 'train' and value > 0
),
spread as (
    select run_id, log_id, name, unit, min({'value': value, 'line': line}).line as line, median(value) as middle, quantile_disc(value, 0.1) as slow
    from printed
    where place > 10
    group by run_id, log_id, name, unit
    having count(*) >= 10
)
select
    run_id,
    log_id,
    line,
    format('{}: median {:.6g} {}, the slowest tenth up to {:.6g}', name, middle, unit, slow) as about,
    slow / middle as value,
    $least as expected
from spread
where slow < $least * middle;
