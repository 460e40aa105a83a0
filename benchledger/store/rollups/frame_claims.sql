-- What frames.py asks of the claims in temp table chunk_claim. is_twin: of these records only those count that no log
-- of the run has beside.
select
    run_id,
    log_id,
    first_line,
    last_line,
    log_place,
    devices,
    role = 'duplicate_stream' and not is_source as is_twin,
    case when is_source then 0 when role = 'duplicate_stream' and has_train then 1 end::tinyint as part
from chunk_claim
