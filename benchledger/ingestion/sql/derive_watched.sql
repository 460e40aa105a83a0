-- Which lines of a monitor's log are of the one run that was on the machine then: temp table watched has both.
-- reads: watched, kept.record
-- makes: monitor_by_time

insert into monitor_by_time
select
    p.log_id, p.segment, p.run_id, min(c.line) as first_line, max(c.line) as last_line,
    list_sort(list(distinct c.device) filter (c.device is not null)) as devices
from watched as p
join kept.record as c on c.log_id = p.log_id and c.logged_at between p.started_at and p.ended_at
group by all;
