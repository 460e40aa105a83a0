-- Every key that was ever shown stays valid: for the run with the same part of the same log, or of its successor.
-- reads: run, old_claim, succession, run_log
-- makes: renamed, kept.run_alias

create or replace temp table renamed as
select distinct on (o.run_key) o.run_key as old_key, r.run_key
from old_claim as o
left join succession as s on s.old_id = o.log_id
join run_log as l on l.log_id = coalesce(s.new_id, o.log_id) and l.segment = o.segment
    and l.role in ('train', 'duplicate_stream', 'copy', 'rank', 'tracker', 'manifest')
join run as r on r.run_id = l.run_id
where r.run_key <> o.run_key and o.run_key not in (select run_key from run)
order by o.run_key, r.run_key;

update kept.run_alias
set run_key = renamed.run_key
from renamed
where run_alias.run_key = renamed.old_key;

-- A copy is a run again, for example, when the whole log is forgotten.
delete from kept.run_alias where old_key = run_key;

insert into kept.run_alias
select old_key, run_key from renamed
on conflict do update set run_key = excluded.run_key;
