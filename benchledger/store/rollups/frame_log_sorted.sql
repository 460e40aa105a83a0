-- The records of a piece of one log, in their order.
select log_id, line, byte_offset, shape_id, step, epoch, rank, device, label, logged_at, clock_s, "values"
from $record
where log_id = ? and line between ? and ?
order by byte_offset
