-- A record that is dated before the one above it, of the same rank and device: two logs in one, or a clock that was set.
-- severity: warning
-- $tolerance_s = 1.5
with dated as (
    select
        run_id,
        log_id,
        line,
        logged_at,
        lag(logged_at) over (partition by log_id, run_id, rank, device order by byte_offset) as before
    from kept.measurement_all
    where logged_at is not null
)
select
    run_id,
    log_id,
    line,
    format('{} after {}', logged_at, before) as about,
    epoch(logged_at) - epoch(before) as value,
    0 as expected
from dated
where epoch(before) - epoch(logged_at) > $tolerance_s
qualify row_number() over (partition by log_id, line order by run_id) = 1;
