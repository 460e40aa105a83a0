-- First and last time of the records of each log of a run.
-- reads: claimed_record
-- makes: log_clock

create or replace temp table log_clock as
select
    run_id,
    log_id,
    min(place) as place,
    min(logged_at) as started_at,
    max(logged_at) as ended_at,
    arg_min(clock_s, place) as started_s,
    arg_max(clock_s, place) as ended_s
from claimed_record
where part is not null and (logged_at is not null or clock_s is not null)
group by run_id, log_id;
