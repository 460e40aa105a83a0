-- A run whose log holds the same dated step twice: two copies of a log in one file, or two logging handlers.
-- severity: warning
with repeated as (
    select run_id, log_id, max(line) as line, count(*) as times
    from kept.run_record as record
    join (select distinct shape_id from kept.shape where kind = 'step') as step using (shape_id)
    where part = 0 and logged_at is not null and step is not null
    group by run_id, log_id, record.shape_id, logged_at, clock_s, step, epoch, rank, device, "values", texts
    having count(*) > 1
)
select run_id, log_id, max(line) as line, format('{} steps stand there more than once', count(*)) as about,
    count(*) as value, 0 as expected
from repeated
group by run_id, log_id;
