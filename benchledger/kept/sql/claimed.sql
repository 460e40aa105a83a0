-- The records of the runs of a chunk, each as often as a run claims it.
-- reads: chunk_record, claim
-- makes: claimed_record

create or replace temp view claimed_record as
select claim.run_id, claim.part, claim.log_place + (record.byte_offset << 6) as place, record.*
from chunk_record as record
join claim
    on record.log_id = claim.log_id and record.load_number = claim.load_number and record.line >> 10 = claim.block
where record.line between claim.first_line and claim.last_line
    -- Of a long log with many runs only these lines are looked at.
    and record.line between $first_line and $last_line;
