-- Which records are those of the runs in temp table chunk_run: each as often as a run claims it.

create or replace temp table chunk_claim as
with claim as (
    select run_log.*, log.load_number, run_source.run_id is not null as is_source
    from run_log
    semi join chunk_run using (run_id)
    join log using (log_id)
    left join run_source using (run_id, log_id, segment)
)
select
    run_id, log_id, load_number, first_line, last_line, role, is_source,
    bool_or(is_source and role = 'train') over (partition by run_id) as has_train,
    dense_rank() over (partition by run_id order by is_source desc, log_id) << 44 as log_place,
    -- A telemetry record without a device counts for every claim, hence the NULL in the list.
    if(role = 'telemetry' and devices is not null, list_append(devices, null), null) as devices
from claim;
