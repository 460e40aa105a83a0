-- When the time of runs starts and ends, by what their logs date (convergence_clocks.py). A place is a log's place and an offset in it.

insert into run_clock
with midnight as (
    -- A clock of the day that goes back by more than half a day went past midnight. One that also goes as far ahead is of two
    -- programs about midnight, and one of more than a day is no clock of the day: they tell no time.
    select
        run_id,
        bool_or(since_s < 0 and before_s >= 86400) or bool_or(since_s < 0) and bool_or(since_s > 0) as is_untold,
        list({'log_id': log_id, 'byte_offset': place & ((1::bigint << 44) - 1)} order by log_id, place)
            filter (where since_s < 0) as midnights
    from clock_jump
    group by run_id
),
clocked as (
    select
        told_clock.*,
        if(midnight.is_untold is true, null, coalesce(midnight.midnights, [])) as midnights
    from told_clock
    left join midnight using (run_id)
),
clock as (
    select
        run_id,
        arg_min(started_s, place) filter (where midnights is not null) as started_s,
        arg_max(ended_s + 86400 * len(list_filter(midnights, lambda x: x.log_id = clocked.log_id)), place) as ended_s,
        any_value(midnights) as midnights
    from clocked
    group by run_id
),
dated as (
    select run_id, min(started_at) as started_at, max(ended_at) as ended_at
    from told_date
    group by run_id
),
marked as (
    select
        run_id, min(started_at) as started_at, max(ended_at) as ended_at,
        bool_or(has_start) and bool_or(has_end) as is_timed
    from told_mark
    group by run_id
)
select
    run_id,
    coalesce(marked.started_at, dated.started_at) as started_at,
    clock.started_s,
    clock.midnights,
    nullif(
        seconds_since(
            coalesce(marked.ended_at, dated.ended_at), clock.ended_s, coalesce(marked.started_at, dated.started_at), clock.started_s
        ),
        0
    ) as seconds,
    marked.is_timed is true as is_timed
from dated
full join clock using (run_id)
left join marked using (run_id)
semi join run_format using (run_id);
