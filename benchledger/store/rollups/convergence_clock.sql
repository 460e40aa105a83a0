-- When the time of the runs in temp table chunk_run starts and ends, by all that their logs date.

insert into run_clock
with placed as (
    select
        log_clock.*,
        if(midnight.is_untold is true, null, coalesce(midnight.midnights, [])) as midnights
    from log_clock
    left join midnight using (run_id)
),
reach as (
    select
        run_id,
        min(started_at) as started_at,
        max(ended_at) as ended_at,
        arg_min(started_s, (part, log_id)) filter (where midnights is not null) as started_s,
        arg_max(
            ended_s + 86400 * len(list_filter(midnights, lambda x: x.log_id = placed.log_id)), (part, log_id)
        ) as ended_s,
        any_value(midnights) filter (where started_s is not null) as midnights
    from placed
    group by run_id
)
select
    reach.run_id,
    coalesce(marked.started_at, reach.started_at) as started_at,
    reach.started_s,
    reach.midnights,
    nullif(
        seconds_since(
            coalesce(marked.ended_at, reach.ended_at), reach.ended_s,
            coalesce(marked.started_at, reach.started_at), reach.started_s
        ),
        0
    ) as seconds,
    marked.is_timed is true as is_timed
from reach
semi join run_format using (run_id)
left join marked using (run_id);
