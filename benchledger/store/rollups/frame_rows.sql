-- The records of all logs in temp table chunk_claim, as they stand.
select log_id, line, byte_offset, shape_id, step, epoch, rank, device, label, logged_at, clock_s, "values"
from $record
semi join chunk_claim using (log_id, load_number)
