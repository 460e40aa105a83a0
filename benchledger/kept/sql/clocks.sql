-- When the time of each run starts and ends, by all that its logs date.
-- reads: claimed_record, log_clock, kept.run_format, moment, needed_timing
-- makes: set_clock, clock_jump, kept.run_clock

-- Runs whose clock was set back: a later step has an earlier time. Nothing tells by how much, nor how long the run took.
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
    where part is not null and step is not null and log_id in (select log_id from log_clock)
    window w as (partition by run_id, log_id order by place)
)
where is_set;

-- Where a clock without a date goes back or ahead by more than half a day.
create or replace temp table clock_jump as
select run_id, log_id, byte_offset, before_s, since_s
from (
    select
        run_id, log_id, byte_offset,
        if(lag(log_id) over w = log_id, lag(clock_s) over w, null) as before_s,
        clock_s - before_s as since_s
    from claimed_record
    semi join (from log_clock where started_s is not null) as clocked using (run_id, log_id)
    where part is not null and clock_s is not null
    window w as (partition by run_id, log_id order by place)
)
where abs(since_s) > 43200;

insert into kept.run_clock by name
with back as (
    select
        run_id,
        list({'log_id': log_id, 'byte_offset': byte_offset} order by log_id, byte_offset) filter (since_s < 0) as midnights,
        -- A clock of the day that goes back by more than half a day went past midnight. One that also goes as far ahead is
        -- of two programs about midnight, and one of more than a day is no clock of the day: they tell no time.
        bool_or(since_s < 0 and before_s >= 86400) or (bool_or(since_s < 0) and bool_or(since_s > 0)) as is_untold
    from clock_jump
    group by run_id
),
whole as (
    select
        run_id,
        min(log_clock.started_at) as dated_from,
        max(log_clock.ended_at) as dated_to,
        arg_min(started_s, place) as clock_from,
        arg_max(ended_s + 86400 * coalesce(days, 0), place) as clock_to
    from log_clock
    left join (select run_id, log_id, count(*) filter (since_s < 0) as days from clock_jump group by all) using (run_id, log_id)
    group by run_id
),
-- Between which records a rule measures the time.
marked as (
    select
        run_id,
        min(logged_at) filter (label = split_part(name, ' to ', 1)) as marked_from,
        max(logged_at) filter (label = split_part(name, ' to ', 2)) as marked_to,
        bool_or(label = split_part(name, ' to ', 1)) and bool_or(label = split_part(name, ' to ', 2)) as is_timed
    from moment
    join needed_timing using (run_id)
    where quantity = 'span' and label is not null and (logged_at is not null or clock_s is not null)
    group by run_id
),
ends as (
    select
        run_id,
        if(set_clock.run_id is null, coalesce(marked_from, dated_from), null) as started_at,
        coalesce(marked_to, dated_to) as ended_at,
        if(is_untold or set_clock.run_id is not null, null, clock_from) as started_s,
        if(is_untold, null, clock_to) as ended_s,
        if(is_untold or clock_from is null, null, coalesce(midnights, [])) as midnights,
        coalesce(is_timed, false) as is_timed
    from whole
    left join back using (run_id)
    left join marked using (run_id)
    left join set_clock using (run_id)
    semi join kept.run_format using (run_id)
)
select
    run_id, started_at, started_s, midnights,
    -- A run of one moment has no duration.
    nullif(seconds_since(ended_at, ended_s, started_at, started_s), 0) as seconds,
    is_timed
from ends;
