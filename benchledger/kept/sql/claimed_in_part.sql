-- Which records are claimed where not all of a log's lines count: those of twins and of devices.
-- reads: kept.stream_only, claim, chunk_record
-- makes: twin_record, claimed_record

-- Of a twin those records count that no log of its run has beside.
create or replace temp table twin_record as
select log_id, byte_offset
from kept.stream_only
semi join (from claim where is_twin) using (log_id);

create or replace temp view claimed_record as
select claim.run_id, claim.part, claim.log_place + (record.byte_offset << 6) as place, record.*
from chunk_record as record
join claim
    on record.log_id = claim.log_id and record.load_number = claim.load_number and record.line >> 10 = claim.block
where record.line between claim.first_line and claim.last_line
    and record.line between $first_line and $last_line
    and (not claim.is_twin or (record.log_id, record.byte_offset) in (select (log_id, byte_offset) from twin_record))
    -- A record of a monitor that names no device counts for every claim.
    and (claim.devices is null or record.device is null or list_contains(claim.devices, record.device));
