-- All readings of the runs of a chunk, printed or made: a speed is a finite number, a time one above nought.
-- reads: printed, timed, speed_key
-- makes: run_reading, reading_now, reading

insert into run_reading
select run_id, reading_key, count(*), count(*) filter (is_usable(value, false, step)), min(lane), min(lane) = max(lane)
from timed
group by run_id, reading_key;

create or replace temp view reading_now as
select
    run_id, reading_key, reading_key in (select reading_key from speed_key) as is_speed, lane, epoch, step - 1 as since, step,
    place, value, 1::double as steps, 1 as times, is_again
from printed
union all
select run_id, reading_key, false, lane, null, since, step, place, value, steps_between(since, step), 1, false
from timed;

create or replace temp view reading as
from reading_now;
