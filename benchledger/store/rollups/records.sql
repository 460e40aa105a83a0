-- The records of the runs in temp table chunk_run, each as often as a run claims it. part 0 is the log that the run's
-- numbers come from, part 1 what only its twin has, NULL what tells nothing of its speed (telemetry, a twin's copies).
-- place is one number to order a run's records by: its logs' parts, then its logs, then the bytes of a log (16 TB of it).

create or replace temp table chunk_claim as
with claim as (
    select run_log.*, run_source.run_id is not null as is_source
    from run_log
    semi join chunk_run using (run_id)
    left join run_source using (run_id, log_id, segment)
)
select
    run_id, log_id, first_line, last_line, role, is_source,
    bool_or(is_source and role = 'train') over (partition by run_id) as has_train,
    dense_rank() over (partition by run_id order by is_source desc, log_id) << 44 as log_place,
    -- A telemetry record without a device counts for every claim, hence the NULL in the list.
    if(role = 'telemetry' and devices is not null, list_append(devices, null), null) as devices
from claim;

create or replace temp table chunk_only as
select distinct log_id, byte_offset
from stream_only
where log_id in (select log_id from chunk_claim where role = 'duplicate_stream');

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
from record
join chunk_claim as claim
    on record.log_id = claim.log_id and record.line between claim.first_line and claim.last_line
left join chunk_only as only_here
    on only_here.log_id = record.log_id and only_here.byte_offset = record.byte_offset
where claim.devices is null or list_contains(claim.devices, record.device) or record.device is null;
