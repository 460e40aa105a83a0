-- One row per log whose format was recognised by nine of ten of its lines, since no line holds a proof.
-- $format = '*', a glob of log.format
-- Example: bench query by-majority
select format, place.path, evidence, log_id
from log
join place_of_log('*') as place using (log_id)
where evidence like 'by majority: %' and format glob $format
order by all;
