-- The records of a piece of one log, as they stand.
select log_id, line, byte_offset, shape_id, step, epoch, rank, device, label, logged_at, clock_s, "values"
from $record
where log_id = ? and line between ? and ?
