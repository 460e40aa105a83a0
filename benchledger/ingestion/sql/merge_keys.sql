-- Every key that the other ledger ever showed: temp table old_claim, for derive_keys.sql.
-- reads: arriving_run, arriving_run_log, arriving_run_alias
-- makes: old_claim

create or replace temp table old_claim as
with claim as (
    select arriving_run.run_key, arriving_run_log.log_id, arriving_run_log.segment
    from arriving_run
    join arriving_run_log using (run_id)
    where arriving_run_log.role in ('train', 'duplicate_stream', 'copy', 'rank', 'manifest')
)
from claim
union
select alias.old_key, claim.log_id, claim.segment
from arriving_run_alias as alias
join claim on claim.run_key = alias.run_key;
