-- Runs whose clock was set back: a later step has an earlier time. Nothing tells by how much, nor how long the run took.
-- reads: claimed_record
-- makes: set_clock

create or replace temp table set_clock as
select distinct run_id
from (
    select
        run_id,
        -- Lines of several processes are up to a second out of order. Half a day back is midnight, if there is no date.
        lag(log_id) over w = log_id and step > lag(step) over w and coalesce(
            epoch_us(lag(logged_at) over w) - epoch_us(logged_at) > 1e6,
            lag(clock_s) over w - clock_s > 1 and lag(clock_s) over w - clock_s <= 43200
        ) as is_set
    from claimed_record
    where part is not null and step is not null
    window w as (partition by run_id, log_id order by place)
)
where is_set;
