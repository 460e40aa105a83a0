-- The records of the runs in temp table chunk_run, each as often as a run claims it. part 0 is the log that the run's
-- numbers come from, part 1 what only its twin has, NULL what tells nothing of its speed (telemetry, a twin's copies).
-- place is one number to order a run's records by: its logs' parts, then its logs, then the bytes of a log (16 TB of it).

create or replace temp view chunk_record as
select
    claim.run_id,
    case
        when claim.is_source then 0
        when claim.role = 'duplicate_stream' and claim.has_train and only_here.log_id is not null then 1
    end as part,
    claim.role <> 'duplicate_stream' or claim.is_source or only_here.log_id is not null as is_measured,
    claim.log_place + record.byte_offset as place,
    record.shape_id,
    record.step,
    record.epoch,
    record.rank,
    record.device,
    record.label,
    record.logged_at,
    record.clock_s,
    record."values"
from $record as record
join chunk_claim as claim
    on record.log_id = claim.log_id and record.line between claim.first_line and claim.last_line
left join chunk_only as only_here
    on only_here.log_id = record.log_id and only_here.byte_offset = record.byte_offset
where claim.devices is null or list_contains(claim.devices, record.device) or record.device is null;
