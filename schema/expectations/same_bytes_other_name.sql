-- One content under several file names: it is the log of one of them, and not of the others.
-- severity: warning
select log_id, format('{} names: {}', names, string_agg(name, ', ' order by name)) as about
from kept.log_name
where names > 1
group by log_id, names;
