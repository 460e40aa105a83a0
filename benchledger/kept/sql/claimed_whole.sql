-- The records of a single run with a single log, read without a join: they come in the order of the table.
-- reads: chunk_record
-- makes: claimed_record

create or replace temp view claimed_record as
select $run_id::bigint as run_id, $part::integer as part, $log_place + (byte_offset << 6) as place, chunk_record.*
from chunk_record
where log_id = $log_id and load_number = $load_number and line between $first_line and $last_line;
