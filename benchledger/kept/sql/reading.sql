-- All readings of the runs of a chunk, printed or made: a speed is a finite number, a time one above nought.
-- reads: printed, timed
-- makes: run_reading, reading

insert into run_reading
select run_id, reading_key, count(*), count(*) filter (is_usable(value, false, step)), min(lane), min(lane) = max(lane)
from timed
group by run_id, reading_key;

create or replace temp view reading as
select run_id, reading_key, lane, epoch, step - 1 as since, step, place, value
from printed
union all
select run_id, reading_key, lane, null, since, step, place, value
from timed;
